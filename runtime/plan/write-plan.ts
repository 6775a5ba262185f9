/** Plans of writes: trees of rows whose values are read, every level carrying its grant. Data; no SQL. */
import type { Grant } from '../access/grant.js';
import type { Collection, ToMany } from '../../contract/collection.js';
import type { ApiError } from '../../contract/errors.js';
import type { OwnerCheck } from './row-validation.js';
import type { Condition } from './types.js';
import type { Scalar } from './values.js';

export type Key = readonly Scalar[];

/** Values by field; `null` is null. */
export type WriteRow = ReadonlyMap<string, Scalar | null>;

/** A value that the owner of a row holds, by its place among the `references` of the relation. */
export interface OwnerOperand {
  readonly from: 'owner';
  readonly index: number;
}

export const isOperand = (value: Scalar | null | OwnerOperand): value is OwnerOperand =>
  typeof value === 'object' && value !== null && !Buffer.isBuffer(value);

/** A row of a list, before its owner is written. */
export type ListRow = ReadonlyMap<string, Scalar | null | OwnerOperand>;

export interface CreatePlan<Row extends ListRow = WriteRow> {
  readonly collection: Collection;
  readonly grant: Grant;
  readonly rows: readonly Row[];
  readonly lists: readonly ListPlan[];
}

export interface UpdatePlan<Row extends ListRow = WriteRow> {
  readonly collection: Collection;
  readonly grant: Grant;
  /** One row of values for all keys. */
  readonly row: Row;
  readonly lists: readonly ListPlan[];
  /** What the stored row must pass: the grant's rows, and the rule of every field that is written. */
  readonly where: Condition;
}

export interface DeletePlan {
  readonly collection: Collection;
  readonly grant: Grant;
  readonly where: Condition;
}

/** A list that is written through its owner, in this order: updates, creates, removes. */
export interface ListPlan {
  readonly relation: ToMany;
  /** Place of the owner among the rows of its plan. */
  readonly row: number;
  /** Rows of the target that exist for the caller: others are as if they were not in the list. `null`: none. */
  readonly visible: Condition | null;
  readonly creates: ListCreatePlan | null;
  readonly updates: readonly ListUpdate[];
  readonly removes: ListRemoval | null;
  /** Those of the relation's `references` whose names the caller may be told. */
  readonly known: ReadonlySet<string>;
}

/** What holds values of the owner, and can be checked only with them. */
export interface ListCreatePlan extends CreatePlan<ListRow> {
  readonly checks: readonly OwnerCheck[];
}

export interface ListUpdatePlan extends UpdatePlan<ListRow> {
  readonly check: OwnerCheck | null;
  /** Fields and lists that take a permission. */
  readonly written: readonly string[];
}

/** Why something is not planned: told only where it comes to that. */
export interface Refusal {
  readonly problems: readonly ApiError[];
}

/** A row that is named by its key. */
export interface ListUpdate {
  readonly key: Key;
  /** Where the row is in the list already; `null`: nothing of it changes. */
  readonly present: UpdatePlan | null;
  /** Where it comes from elsewhere. */
  readonly taken: ListUpdatePlan | Refusal;
}

export interface ListRemoval {
  /** `others`: every row of the list that is not named. */
  readonly keys: readonly Key[] | 'others';
  readonly removal: Removal;
}

export type Removal =
  | { readonly kind: 'delete'; readonly plan: DeletePlan }
  /** Rows stay, without an owner. */
  | { readonly kind: 'release'; readonly plan: UpdatePlan }
  | ({ readonly kind: 'refused' } & Refusal);
