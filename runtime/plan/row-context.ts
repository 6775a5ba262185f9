/** What a payload is read with: the caller's grant, and where the payload stands in its request. */
import type { Grant } from '../access/grant.js';
import type { Action } from '../access/policies.js';
import type { ApiError } from '../../contract/errors.js';
import type { PlanContext } from './scope.js';
import type { OwnerOperand } from './write-plan.js';
import type { Scalar } from './values.js';

export type Payload = Readonly<Record<string, unknown>>;

export interface WriteContext extends PlanContext {
  /** Replaces variables in presets and validation. */
  resolve(value: unknown): unknown;
  /** What the server fills in. */
  readonly fills: { readonly user: string | null; now(): string; uuid(): string };
}

/** What a row takes from its owner. */
export interface OwnerValue {
  readonly operand: OwnerOperand;
  /** `null`: not known before the owner is written. */
  readonly known: Scalar | null;
}

/** One level of a payload: its top, or a list in it. */
export interface LevelContext {
  readonly writing: WriteContext;
  /** Collects what is wrong, of all levels. */
  readonly problems: ApiError[];
  /** Lists from the top of the payload to here. */
  readonly path: readonly string[];
  /** By field; empty at the top, and for rows that keep their owner. */
  readonly owner: ReadonlyMap<string, OwnerValue>;
}

export interface RowContext extends LevelContext {
  readonly grant: Grant;
  readonly action: Extract<Action, 'create' | 'update'>;
  /** Place in a list of payloads. */
  readonly index: number | null;
}

export const isKey = (name: string, { collection }: Grant): boolean =>
  collection.key.some((part) => part.name === name);

/** A key never changes: in an update it says which item is meant, and takes no permission. */
export const isKept = (name: string, { grant, action }: RowContext): boolean =>
  action === 'update' && isKey(name, grant);
