/** Plans: what is to be read, every name resolved and every level carrying its grant. Data; no SQL. */
import type { Grant } from '../access/grant.js';
import type { Collection, Field, ToMany, ToOne } from '../../contract/collection.js';
import type { FilterComparison } from '../../contract/operators.js';
import type { MetaKey } from '../request/query.js';

export interface ReadPlan {
  readonly collection: Collection;
  /** The grant everything below was decided by. */
  readonly grant: Grant;
  readonly select: Select;
  readonly where: Condition;
  readonly order: readonly Order[];
  /** Instead of an order: rows stand as these conditions name them. */
  readonly explicitOrder?: readonly Condition[];
  readonly limit: Limit;
  /** `null`: from the start. */
  readonly offset: Operand | null;
  readonly page: Operand | null;
  readonly meta: readonly MetaKey[];
  /** What `total_count` counts: the grant alone. */
  readonly whereTotal: Condition;
}

/** `all`: asked for with -1; `every`: the rows are named, and no maximum cuts them. */
export type Limit = Operand | 'default' | 'all' | 'every';

/** What one row becomes: an object, or its bare key, which shows on the rows of its rule and is null elsewhere. */
export type Select =
  | { readonly kind: 'object'; readonly entries: readonly Entry[] }
  | { readonly kind: 'key'; readonly fields: readonly Field[]; readonly rule: Condition | null };

export type Entry =
  /** The same in every row. */
  | { readonly kind: 'constant'; readonly name: string; readonly json: string }
  | {
      readonly kind: 'field';
      readonly name: string;
      readonly field: Field;
      /** Rows on which the value shows; elsewhere it is null. */
      readonly rule: Condition | null;
    }
  | {
      readonly kind: 'one';
      readonly name: string;
      readonly join: Join;
      /** Related rows that show: the filter of `deep`. */
      readonly where: Condition;
      readonly select: Select;
    }
  | {
      readonly kind: 'many';
      readonly name: string;
      readonly relation: ToMany;
      readonly rule: Condition | null;
      readonly plan: ReadPlan;
    };

/** A many-to-one step. Rows that do not count are as if they were not there. */
export interface Join {
  readonly relation: ToOne;
  /** Rows of the target that count. */
  readonly where: Condition;
  /** Rows of the near side on which the relation shows. */
  readonly rule: Condition | null;
}

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
  /** Surely true of the row at the end of `path`; never unknown. */
  | { readonly kind: 'at'; readonly path: readonly Join[]; readonly condition: Condition }
  /** At least one row of the to-many relation, seen from the end of `path`. */
  | {
      readonly kind: 'some';
      readonly path: readonly Join[];
      readonly relation: ToMany;
      readonly where: Condition;
      /** As in `ColumnRef`. */
      readonly inRule: boolean;
    };

export type Comparison =
  | FilterComparison
  /** Equal, or false where the value cannot be one of the column's type. */
  | 'searched';

/** A column of the row itself, or of the row at the end of a chain of many-to-one steps. */
export interface ColumnRef {
  readonly path: readonly Join[];
  readonly field: Field;
  /** Rows (at the end of the path) on which the value counts; elsewhere it is null. */
  readonly rule: Condition | null;
  /** Inside a rule: the path is reached by a subquery, so that the reference stands anywhere. */
  readonly inRule: boolean;
}

/** Where a bound value comes from. */
export type Operand =
  | { readonly from: 'query'; readonly slot: number }
  /** The same, as it stands: what looks like a variable is none. */
  | { readonly from: 'text'; readonly slot: number }
  /** A part of the item's key. */
  | { readonly from: 'key'; readonly index: number }
  /** All of the keys. */
  | { readonly from: 'keys' }
  | { readonly from: 'rule'; readonly value: unknown };

export interface Order {
  readonly column: ColumnRef;
  readonly descending: boolean;
  /** Else nulls stand where the database puts them. */
  readonly nullsLast?: true;
}

export const conditionTrue: Condition = { kind: 'true' };
export const conditionFalse: Condition = { kind: 'false' };

/** Joins by and; folds constants. */
export const allOf = (conditions: readonly Condition[]): Condition => {
  const rest = conditions.filter((condition) => condition.kind !== 'true');
  if (rest.some((condition) => condition.kind === 'false')) return conditionFalse;
  const [only] = rest;
  if (only === undefined) return conditionTrue;
  return rest.length === 1 ? only : { kind: 'and', conditions: rest };
};

/** Joins by or; folds constants. Of nothing: false. */
export const anyOf = (conditions: readonly Condition[]): Condition => {
  const rest = conditions.filter((condition) => condition.kind !== 'false');
  if (rest.some((condition) => condition.kind === 'true')) return conditionTrue;
  const [only] = rest;
  if (only === undefined) return conditionFalse;
  return rest.length === 1 ? only : { kind: 'or', conditions: rest };
};
