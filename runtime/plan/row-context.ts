/**
 * The context in which a payload is read: the caller's grant and the position of the payload in the request.
 */
import type { Grant } from '../access/grant.js';
import type { Action } from '../access/policies.js';
import type { ApiError } from '../../contract/errors.js';
import type { Matcher } from './matcher.js';
import type { PlanContext } from './scope.js';
import type { Key, OwnerOperand } from './write-plan.js';
import type { Scalar } from './parsed-value.js';

/** An object of a body, by name of field or relation. */
export type Payload = Readonly<Record<string, unknown>>;

export interface WriteContext extends PlanContext {
  /** The body is a list, whose items have an index in errors even where there is one of them. */
  readonly isList?: boolean;
  /** Resolves variables in presets and validation rules. */
  resolve(value: unknown): unknown;
  /** Matches texts with the expressions of validations, in a bounded time for the request. */
  readonly matches: Matcher;
  /** Values for fields that the server fills. */
  readonly fills: { readonly user: string | null; now(): string; uuid(): string };
}

/** A value that a row takes from its owner. */
export interface OwnerValue {
  readonly operand: OwnerOperand;
  /** The value; `null` where it is not known before the owner is written. */
  readonly known: Scalar | null;
}

export const noOwner: ReadonlyMap<string, OwnerValue> = new Map();

/** The position that a new row of a list gets, unless the payload or a preset has one. */
export interface RowPosition {
  readonly name: string;
  readonly value: Scalar | OwnerOperand;
}

/** One level of a payload: its top, or a list in it. */
export interface PayloadLevel {
  readonly writing: WriteContext;
  /** Collects the problems of all levels. */
  readonly problems: ApiError[];
  /** Index of the request's item; `null` where it is the only one. */
  readonly index: number | null;
  /** Names of the relations that lead from the request's item to this level. */
  readonly path: readonly string[];
  /** All names and indexes that lead from the body to this level. */
  readonly pointer: readonly (string | number)[];
  /** Rest of the pointer, after `pointer`, for each new row of a list; `null` elsewhere. */
  readonly rowPointers: readonly (readonly (string | number)[])[] | null;
  /** Values of the owner by field name; empty at the top level, and for rows that keep their owner. */
  readonly owner: ReadonlyMap<string, OwnerValue>;
  /** Positions of the new rows of a list, by their index; `null` where the list has no order. */
  readonly positions: readonly (RowPosition | null)[] | null;
}

export interface RowContext extends PayloadLevel {
  readonly grant: Grant;
  readonly action: Extract<Action, 'create' | 'update'>;
  /** The key of the row of an update; `null` where the row is new, or the payload is for several rows. */
  readonly key: Key | null;
  readonly position: RowPosition | null;
}

/**
 * Returns the context of one row. Built field by field, because spreading the level makes objects on which every later
 * access is slow: planning a row took twice as long (measured).
 */
export const rowContext = (
  { writing, problems, index, path, pointer, rowPointers, owner, positions }: PayloadLevel,
  { grant, action, key, position }: Omit<RowContext, keyof PayloadLevel>,
): RowContext => ({
  writing,
  problems,
  index,
  path,
  pointer,
  rowPointers,
  owner,
  positions,
  grant,
  action,
  key,
  position,
});

/** Returns whether the items of a request have an index in errors. */
export const isOfSeveral = (items: readonly unknown[], { isList = false }: WriteContext): boolean =>
  isList || items.length > 1;

/** Returns the level of one of the items of a request; see `rowContext` for how it is built. */
export const itemLevel = (
  { writing, problems, path, rowPointers, owner, positions }: PayloadLevel,
  index: number,
): PayloadLevel => ({ writing, problems, index, path, pointer: [index], rowPointers, owner, positions });

/** Returns the level of one row of a list. */
export const entryLevel = (level: PayloadLevel, below: readonly (string | number)[]): PayloadLevel => ({
  ...level,
  pointer: [...level.pointer, ...below],
  rowPointers: null,
});

/** Returns whether a field is part of the collection's key. */
export const isKeyField = (name: string, { collection }: Grant): boolean =>
  collection.key.some((part) => part.name === name);

/**
 * Returns whether the name is a key field of an update: it identifies the item, is never changed and requires
 * no permission.
 */
export const isUnchangedKey = (name: string, { grant, action }: RowContext): boolean =>
  action === 'update' && isKeyField(name, grant);
