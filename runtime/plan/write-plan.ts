/** Types of write plans: trees of rows with parsed values, every level carrying its grant. Contains no SQL. */
import type { Grant } from '../access/grant.js';
import type { Collection, Field, ToMany, ToOne } from '../../contract/collection.js';
import type { ApiError } from '../../contract/errors.js';
import type { PayloadLocation } from './problem-collection.js';
import type { ReferenceCheck } from './references.js';
import type { OwnerCheck, StoredCheck } from './row-validation.js';
import type { Condition } from './types.js';
import type { Scalar } from './parsed-value.js';

/** The parts of a key, in the order of `Collection.key`. */
export type Key = readonly Scalar[];

/** Values by field name. */
export type WriteRow = ReadonlyMap<string, Scalar | null>;

/** A value that is not known before the owner of a row is written. */
export type OwnerOperand =
  /** A value of the owner, by its index among the `references` of the relation. */
  | { readonly from: 'owner'; readonly index: number }
  /** A position in the list: `offset` after the last one that is stored. */
  | { readonly from: 'end'; readonly field: Field; readonly offset: number }
  /** The key of a row of `parents`; null until that row is written. */
  | { readonly from: 'parent' };

/** Returns whether a value is only known when its owner's row is written. */
export const isOwnerOperand = (value: Scalar | null | OwnerOperand): value is OwnerOperand =>
  typeof value === 'object' && value !== null && !Buffer.isBuffer(value);

/** A row of a list whose owner is not written yet. */
export type ListRow = ReadonlyMap<string, Scalar | null | OwnerOperand>;

/** The rows to create in one collection, with their related rows and the checks that they have to pass. */
export interface CreatePlan<Row extends ListRow = WriteRow> {
  readonly collection: Collection;
  readonly grant: Grant;
  readonly rows: readonly Row[];
  /** Where each row is in the payload. */
  readonly locations: readonly PayloadLocation[];
  readonly parents: readonly ParentPlan[];
  readonly lists: readonly ListPlan[];
  /** Checks of the stored rows, by the index of the row. */
  readonly stored: readonly { readonly rowIndex: number; readonly check: StoredCheck }[];
  /** Checks of the keys that the payload sets on relations, by the index of the row. */
  readonly references: readonly { readonly rowIndex: number; readonly check: ReferenceCheck }[];
}

/** The values to set in rows of one collection, with their related rows and the checks that they have to pass. */
export interface UpdatePlan<Row extends ListRow = WriteRow> {
  readonly collection: Collection;
  readonly grant: Grant;
  /** The values, the same for all keys. */
  readonly row: Row;
  /** Where the values are in the payload. */
  readonly location: PayloadLocation;
  readonly parents: readonly ParentPlan[];
  readonly lists: readonly ListPlan[];
  /** The condition on the stored row: the grant's rows, and the rule of every written field. */
  readonly where: Condition;
  /** The check of each stored row; `null` for none. */
  readonly stored: StoredCheck | null;
  /** Checks of the keys that the payload sets on relations. */
  readonly references: readonly ReferenceCheck[];
  /** Fields and lists that require a permission. */
  readonly writtenNames: readonly string[];
}

/** Rows to create, each of which may be stored already, by the values of unique fields. */
export interface UpsertPlan {
  readonly collection: Collection;
  readonly grant: Grant;
  /** The unique fields: the key, or those of a unique constraint. */
  readonly fields: readonly Field[];
  /** Condition of the stored rows that the answer shows: those whose values of these fields the caller may read. */
  readonly shown: Condition;
  readonly rows: readonly UpsertRow[];
}

/** A row that is created or changed, whichever applies. */
export interface UpsertRow {
  /** The values of the unique fields; `null` where no stored row can have them. */
  readonly tuple: Key | null;
  /** The values of key fields that the payload gives, which a stored row must have. */
  readonly key: WriteRow;
  /** The plan if no row is stored; needed only then. */
  readonly create: CreatePlan | Refusal;
  /** The plan if a row is stored; `null`: that row is ignored. */
  readonly update: UpdatePlan | Refusal | null;
}

/** The deletion of rows by key. */
export interface DeletePlan {
  readonly collection: Collection;
  readonly grant: Grant;
  readonly where: Condition;
}

/** A row that is written before the row that refers to it: an object under a many-to-one relation. */
export interface ParentPlan {
  readonly relation: ToOne;
  /** Index of the referring row in its plan. */
  readonly rowIndex: number;
  /** The key that the payload gives; `null` for a new row. */
  readonly key: Key | null;
  /** Rows that the caller may relate; others are treated as missing. */
  readonly readable: Condition;
  /** The plan if there is a row with the key; `null` where nothing of it changes. */
  readonly update: UpdatePlan | Refusal | null;
  /** The plan of a new row; `null` where there must be a row with the key. */
  readonly create: CreatePlan | Refusal | null;
}

/** A list that is written through its owner, in this order: updates, creates, removes. */
export interface ListPlan {
  readonly relation: ToMany;
  /** Index of the owner among the rows of its plan. */
  readonly ownerIndex: number;
  /** Rows of the target that the caller may read; others are treated as not in the list. `null`: none. */
  readonly visible: Condition | null;
  readonly creates: ListCreatePlan | null;
  readonly updates: readonly ListUpdate[];
  readonly removes: ListRemoval | null;
  /** The relation's `references` whose names may be shown to the caller. */
  readonly nameableReferences: ReadonlySet<string>;
}

/** A create plan that contains values of the owner, with the checks that need them. */
export interface ListCreatePlan extends CreatePlan<ListRow> {
  readonly checks: readonly OwnerCheck[];
}

export interface ListUpdatePlan extends UpdatePlan<ListRow> {
  readonly check: OwnerCheck | null;
}

/** The reason for which something could not be planned; reported only if the plan is needed. */
export interface Refusal {
  readonly problems: readonly ApiError[];
}

/** A row of a list that the payload gives by its key. */
export interface ListUpdate {
  readonly key: Key;
  /** Where the payload names the row. */
  readonly location: PayloadLocation;
  /** The plan if the row is in the list already; `null` where nothing of it changes. */
  readonly update: UpdatePlan | null;
  /** The position that `update` gives the row, where it writes nothing else. */
  readonly position: Scalar | null;
  /** The plan if the row belongs to another list, or to none. */
  readonly move: ListUpdatePlan | Refusal;
  /** The plan if there is no such row; `null` where clients cannot choose its key, or may not create it. */
  readonly create: ListCreatePlan | Refusal | null;
}

export interface ListRemoval {
  /** The rows to remove; `others`: every row of the list that the payload does not name. */
  readonly keys: readonly Key[] | 'others';
  /** Where the payload names each key. */
  readonly locations: readonly PayloadLocation[];
  readonly removal: Removal;
}

export type Removal =
  | { readonly kind: 'delete'; readonly plan: DeletePlan }
  /** The rows are kept without an owner. */
  | { readonly kind: 'release'; readonly plan: UpdatePlan }
  | ({ readonly kind: 'refused' } & Refusal);
