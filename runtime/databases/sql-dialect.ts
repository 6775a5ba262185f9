/** What differs between databases once a plan is decided. Everything else in `sql` is the same for all. */
import type { Field } from '../../contract/collection.js';
import type { Scalar } from '../plan/values.js';

export type DialectName = 'mariadb' | 'mysql' | 'postgres' | 'sqlite';

/** What drivers accept as a bound value. */
export type BindValue = string | number | bigint | Buffer | null;

export type Match = 'contains' | 'icontains' | 'startsWith' | 'istartsWith' | 'endsWith' | 'iendsWith';

export interface SqlDialect {
  readonly name: DialectName;
  /** `INSERT … RETURNING` exists. */
  readonly returning: boolean;
  /**
   * How a row is read that one UPDATE changes: given back by it; after it, since a transaction costs too much; or in
   * a transaction with it, where the statement would not show what triggers make of the row.
   */
  readonly updateAnswer: 'returned' | 'after' | 'transaction';
  /** Where it does not: a statement for the `first` key that was counted last, and the `step` to the next of its insert. */
  readonly keyStep?: string;
  /** A statement whose `clause` is the condition of a check by its name; where errors name the check alone. */
  readonly checkClause?: string;
  /** Ends a select whose rows may not change before the transaction ends; empty where transactions take turns. */
  readonly shareLock: string;
  /** What an insert of no column at all says after the table's name. */
  readonly emptyRow: string;
  /** What a select ends in whose rows nobody else may change until the transaction ends; empty where writers take turns. */
  readonly rowLock: string;
  quote(name: string): string;
  /** Placeholder for a value compared with, or stored in, the field. */
  placeholder(field: Field): string;
  bind(field: Field, value: Scalar): BindValue;
  /** What stands before the column, between it and the pattern, and after. */
  match(kind: Match, field: Field): readonly [string, string, string];
  /** The pattern that `match` expects; what the client wrote is plain text. */
  pattern(kind: Match, text: string): string;
  /** The placeholder for values that `placeholder` cannot hold; absent: there are none. */
  beyond?(field: Field): Beyond | null;
  /** What stands before and after a column that is compared with texts; absent: nothing. */
  asText?(field: Field): readonly [string, string];
  /** Values as one bound array; absent: a list has a placeholder per value. */
  array?(values: readonly BindValue[]): string;
  /** Whether LIMIT says its number in the text; absent: it is bound. */
  readonly limitInText?: boolean;
  /** What stands before and after what a join asks beside its keys; absent: nothing. */
  readonly joined?: readonly [string, string];
  /** What makes a column a sort key; absent: `desc`, nulls being the smallest values by themselves. */
  order?(field: Field, descending: boolean): SortKey;
}

export interface Beyond {
  readonly placeholder: string;
  /** Whether the value needs it not. */
  fits(value: BindValue): boolean;
}

export interface SortKey {
  readonly before: string;
  readonly after: string;
  /** For columns that may be null. */
  readonly nulls: string;
}
