/**
 * Types of read plans, in which every name is resolved and every level carries its grant, and of the conditions that all
 * plans share. Contains no SQL.
 */
import type { Grant } from '../access/grant.js';
import type { Collection, Field, ToAny, ToMany, ToOne } from '../../contract/collection.js';
import type { DatePart, JsonStep } from '../../contract/functions.js';
import type { FilterComparison } from '../../contract/operators.js';
import type { MetaKey } from '../request/query.js';
import type { AggregatePlan } from './aggregate.js';

/** A read of one level: a collection, its rows, and the selection with the plans of its lists. */
export interface ReadPlan {
  readonly collection: Collection;
  /** The grant from which the selection and the conditions were derived. */
  readonly grant: Grant;
  readonly select: Select;
  readonly where: Condition;
  readonly order: readonly Order[];
  /** Replaces `order`: rows come in the order of these conditions, each of which matches one row. */
  readonly explicitOrder?: readonly Condition[];
  /** Present where each row is followed by the values of its sort keys, and one row more than the limit is read. */
  readonly cursor?: Cursor;
  readonly limit: Limit;
  /** The number of rows to skip; `null` for none. */
  readonly offset: Operand | null;
  readonly page: Operand | null;
  readonly meta: readonly MetaKey[];
  /** The rows that `total_count` counts: those of the grant, regardless of the filter. */
  readonly whereTotal: Condition;
  /** Present where the plan finds at most one row, by its key. */
  readonly byKey?: true;
}

export interface Cursor {
  /** The rows of the next page. */
  readonly after: Condition;
  /** Sort keys whose values the cursor of a row holds. */
  readonly keys: readonly Order[];
  /** Identifies the order; a cursor is valid for the same order only. */
  readonly order: string;
}

/**
 * `all`: the client sent -1. `unlimited`: the rows are named by key, and the configured maximum does not apply.
 */
export type Limit = Operand | 'default' | 'all' | 'unlimited';

/** The JSON of one row: an object, or its bare key, which is null on rows that do not match `rule`. */
export type Select =
  | { readonly kind: 'object'; readonly entries: readonly Entry[] }
  | { readonly kind: 'key'; readonly fields: readonly Field[]; readonly rule: Condition | null };

/** A member of the JSON object of a row. */
export type Entry =
  /** JSON that is the same in every row. */
  | { readonly kind: 'constant'; readonly name: string; readonly json: string }
  | {
      readonly kind: 'field';
      readonly name: string;
      readonly field: Field;
      /** Rows on which the value is visible; it is null on others. */
      readonly rule: Condition | null;
      /** See `ColumnRef.computed`. */
      readonly computed?: Computed;
    }
  /** An object without a row of its own. */
  | { readonly kind: 'group'; readonly name: string; readonly select: Select }
  | {
      readonly kind: 'one';
      readonly name: string;
      readonly join: Join;
      /** The related rows to include: the filter of `deep`. */
      readonly where: Condition;
      readonly select: Select;
    }
  | {
      readonly kind: 'many';
      readonly name: string;
      readonly relation: ToMany;
      readonly rule: Condition | null;
      readonly plan: ReadPlan;
    }
  /** Groups and measures of a list in place of its rows. */
  | {
      readonly kind: 'groups';
      readonly name: string;
      readonly relation: ToMany;
      readonly rule: Condition | null;
      readonly plan: AggregatePlan;
    }
  /** The item of a many-to-any relation: null where there is none that the caller may read. */
  | {
      readonly kind: 'any';
      readonly name: string;
      readonly relation: ToAny;
      readonly rule: Condition | null;
      readonly targets: readonly AnyTarget[];
    };

/** The items of one target of a many-to-any relation. */
export interface AnyTarget {
  readonly kind: 'target';
  readonly relation: ToOne;
  readonly plan: ReadPlan;
}

/** A step along a many-to-one relation. Target rows that do not match `where` are treated as missing. */
export interface Join {
  readonly relation: ToOne;
  /** The rows of the target that the caller may read. */
  readonly where: Condition;
  /** The referring rows on which the relation is visible; `null` for all. */
  readonly rule: Condition | null;
}

/** A condition on a row; its columns carry their rules. */
export type Condition =
  | { readonly kind: 'true' }
  | { readonly kind: 'false' }
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  | {
      readonly kind: 'compare';
      readonly column: ColumnRef;
      readonly operator: Comparison;
      readonly operand: Operand;
    }
  | { readonly kind: 'null' | 'empty'; readonly column: ColumnRef }
  /** True where the condition is true of the row at the end of `path`; false, never unknown, elsewhere. */
  | { readonly kind: 'at'; readonly path: readonly Join[]; readonly condition: Condition }
  /** Tests that at least one row of the to-many relation of the row at the end of `path` matches `where`. */
  | {
      readonly kind: 'some';
      readonly path: readonly Join[];
      readonly relation: ToMany;
      readonly where: Condition;
      /** See `ColumnRef.inRule`. */
      readonly inRule: boolean;
    };

export type Comparison =
  | FilterComparison
  /** Equality for `search`: false where the value is not valid for the column's type. */
  | 'searched';

/** A column of the row itself, or of the row at the end of a path of many-to-one relations. */
export interface ColumnRef {
  readonly path: readonly Join[];
  readonly field: Field;
  /** Rows, at the end of the path, on which the value is visible; it is null on others. */
  readonly rule: Condition | null;
  /**
   * True where the reference belongs to a rule: its path compiles to a subquery, which is valid in any clause.
   */
  readonly inRule: boolean;
  /** The computation of the value, whose result `field` then describes. Absent for a column itself. */
  readonly computed?: Computed;
}

/** A value that is computed from a row. */
export type Computed =
  /** `zone`: the IANA zone in which the parts of a timestamp are read; `null` for UTC. */
  | {
      readonly kind: 'part';
      readonly part: DatePart;
      readonly source: Field;
      readonly zone: string | null;
    }
  /** The number of elements of a JSON value. */
  | { readonly kind: 'length'; readonly source: Field }
  /**
   * The value at a path of JSON, null where there is none: as JSON; the text of a text, number or boolean; or its number,
   * null where it is none.
   */
  | {
      readonly kind: 'json';
      readonly path: readonly JsonStep[];
      readonly as: 'value' | 'text' | 'number';
      readonly source: Field;
    }
  /** The position of a value among those of its enum, in whose order the database sorts; null for null. */
  | { readonly kind: 'position'; readonly source: Field }
  /** The number of rows of a list. */
  | { readonly kind: 'rows'; readonly relation: ToMany; readonly where: Condition }
  /** A group or a measure, in `having`, by its index among both. */
  | { readonly kind: 'output'; readonly index: number };

/** The source of a bound value. */
export type Operand =
  | { readonly from: 'query'; readonly slot: number }
  /** A value of the query in which variables are not resolved. */
  | { readonly from: 'text'; readonly slot: number }
  /** One part of the item's key. */
  | { readonly from: 'key'; readonly index: number }
  /** A sort key of the row that a page follows, which may be a value that the field does not take from clients. */
  | { readonly from: 'cursor'; readonly index: number }
  /** All keys of the request, as a list. */
  | { readonly from: 'keys' }
  | { readonly from: 'rule'; readonly value: unknown }
  /** A value of the schema, such as the name of a collection. */
  | { readonly from: 'constant'; readonly value: string };

/** One sort key. */
export interface Order {
  readonly column: ColumnRef;
  readonly descending: boolean;
  /** Sorts nulls last; otherwise the database's default applies. */
  readonly nullsLast?: true;
}

export const conditionTrue: Condition = { kind: 'true' };
export const conditionFalse: Condition = { kind: 'false' };

/** Joins conditions with AND and folds constants. Returns `conditionTrue` for an empty list. */
export const allOf = (conditions: readonly Condition[]): Condition => {
  const rest = conditions.filter((condition) => condition.kind !== 'true');
  if (rest.some((condition) => condition.kind === 'false')) return conditionFalse;
  const [only] = rest;
  if (only === undefined) return conditionTrue;
  return rest.length === 1 ? only : { kind: 'and', conditions: rest };
};

/** Joins conditions with OR and folds constants. Returns `conditionFalse` for an empty list. */
export const anyOf = (conditions: readonly Condition[]): Condition => {
  const rest = conditions.filter((condition) => condition.kind !== 'false');
  if (rest.some((condition) => condition.kind === 'true')) return conditionTrue;
  const [only] = rest;
  if (only === undefined) return conditionFalse;
  return rest.length === 1 ? only : { kind: 'or', conditions: rest };
};
