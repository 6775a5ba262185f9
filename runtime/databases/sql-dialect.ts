/** The SQL of one database, as far as it differs; `contract.ts` is what runs it. Types only. */
import type { Field } from '../../contract/collection.js';
import type { DatePart, JsonStep } from '../../contract/functions.js';
import type { Dialect } from '../../generator/introspection/catalog.js';
import type { Scalar } from '../plan/parsed-value.js';

export type DialectName = Dialect;

/** A bound value as drivers accept it. */
export type BindValue = string | number | bigint | Buffer | null;

export type Match = 'contains' | 'icontains' | 'startsWith' | 'istartsWith' | 'endsWith' | 'iendsWith';

/** The SQL of one database, as far as it differs; everything else in `sql` is common to all databases. */
export interface SqlDialect {
  readonly name: DialectName;
  /** True where `INSERT … RETURNING` is supported. */
  readonly returning: boolean;
  /**
   * The way in which the row of a single UPDATE is read: by its RETURNING clause; by a select after an `autocommit`, as a transaction
   * would cost too much; or by a select in the same `transaction`, as RETURNING would not show changes of triggers.
   */
  readonly updateReadback: 'returning' | 'autocommit' | 'transaction';
  /** True where triggers and rules may discard the update or deletion of a row, or do something else in its place. */
  readonly discardsWrites?: true;
  /** Statement of databases without `returning`: selects the `first` generated key of the last insert and the `step` between its keys. */
  readonly keyStep?: string;
  /**
   * Selects the condition of a check constraint as `clause`, if errors contain only its name; the parameters are the name and the
   * table. For a check of a type, `clause` has the columns of this type.
   */
  readonly checkClause?: string;
  /**
   * Returns SQL that, inside a RETURNING clause, fails an insert whose generated key the field cannot hold; absent if the
   * database fails by itself.
   */
  generatedKeyCheck?(field: Field): string;
  /** Selects a row if a table, a parameter, has used the last value of its key; needed where a violation can be `full`. */
  readonly exhaustedKey?: string;
  /** Statement that checks deferred constraints before the commit; absent if there is none. */
  readonly checkDeferred?: string;
  /** Selects the `count` of rows that violate deferred foreign keys, where no statement checks these before the commit. */
  readonly countDeferred?: string;
  /**
   * Selects one row that is another one after a change of any table, view or trigger: at little cost, and once too often
   * rather than not.
   */
  readonly schemaVersion: string;
  /** The time now, in milliseconds since 1970: an expression. */
  readonly clock: string;
  /** Selects the names of the tables whose writes cannot be rolled back; absent if there are none. */
  readonly tablesWithoutTransactions?: string;
  /** SQL after the table name in an insert without columns. */
  readonly emptyRow: string;
  /** Suffix of a select that locks its rows for writing; empty if writers are serialized. */
  readonly rowLock: string;
  /**
   * The way in which the first rows of each of many parents are read: by a lateral join, or where that is not supported or does not
   * use indexes for the order of rows, by a UNION ALL of one select per parent.
   */
  readonly perParent: 'lateral' | 'union';
  /**
   * Number of lists in each other from which a condition on lists is an IN instead of a correlated EXISTS, which some
   * databases evaluate for every row; absent where EXISTS is as fast.
   */
  readonly inFromDepth?: number;
  quote(name: string): string;
  /** Returns the constraint that a driver error reports as violated, or null for other errors. */
  readViolation(error: unknown, table: string): Violation | null;
  /** Returns the placeholder of a value that is compared with a field. */
  placeholder(field: Field): string;
  /** Returns the test for null that follows a column; absent if that is `is null` for all. */
  nullTest?(field: Field): string;
  /** Returns the placeholder of a value that is stored in a field; absent if that is `?` for all. */
  storedPlaceholder?(field: Field): string;
  /** True where a CASE over parameters has the type of its ELSE; absent if it has that of their values. */
  readonly typesCaseByElse?: true;
  bind(field: Field, value: Scalar): BindValue;
  /**
   * Returns the field as which a cursor has a sort key, where several stored values are one in answers; absent if none are.
   */
  cursorField?(field: Field): Field;
  /** Returns the SQL before the column, between the column and the pattern, and after the pattern. */
  match(kind: Match, field: Field): readonly [string, string, string];
  /** Returns the pattern for `match` with the special characters of the text escaped. */
  pattern(kind: Match, text: string): string;
  /** Returns the placeholder of values that `placeholder` cannot represent, or null; absent if there are none. */
  outOfRange?(field: Field): OutOfRangePlaceholder | null;
  /** Returns the SQL before and after a column that is compared with strings; absent if none is needed. */
  asText?(field: Field): readonly [string, string];
  /** Returns values as a single bound array; absent if a list has one placeholder per value. */
  array?(values: readonly BindValue[]): string;
  /** True where the number of LIMIT is part of the SQL text instead of bound. */
  readonly limitInText?: boolean;
  /** SQL before and after the join conditions other than the keys; absent if none is needed. */
  readonly joinCondition?: readonly [string, string];
  /** Returns the date and time of a column in UTC, comparable with a literal such as `'2026-01-31 12:30:00'`. */
  moment(column: string, field: Field): string;
  /** Returns a moment that is a number of seconds later. */
  addSeconds(moment: string, seconds: string): string;
  /** Returns a part of a moment as an integer. */
  datePart(part: DatePart, moment: string): string;
  /**
   * Returns the text of a column as a value that is compared with a key, by an index of the key; null where it is not the
   * text of such a key.
   */
  keyOfText(column: string, key: Field): string;
  /** Returns the position of a column's value among those of its enum; absent where there are no enums. */
  enumPosition?(column: string): string;
  /** Returns the number of elements of a JSON column, or null where the column is not stored as JSON. */
  jsonLength(column: string, field: Field): string | null;
  /** Returns the value at a path of a JSON column in its forms, or null where the column is not stored as JSON. */
  jsonAt(column: string, field: Field, path: readonly JsonStep[]): JsonAt | null;
  /** Returns the exact sum of a value, or that of floats. */
  sum(value: string, options: AggregateOptions): string;
  /** Returns the average of a value: of exact numbers with the scale of `result`, half away from zero. */
  average(value: string, options: AggregateOptions): string;
  /** Returns the sort expression of a column; absent if nulls already sort as the smallest values. */
  sortKey?(field: Field, descending: boolean): SortKey;
}

/** Forms of a value in JSON: expressions that are null where there is no value, or JSON's null. */
export interface JsonAt {
  /** The value as JSON; comparable, so that it can be grouped by. */
  readonly value: string;
  /** The text of a text, number or boolean, compared by its code points as far as the database does; else null. */
  readonly text: string;
  /** A number, or null for anything else. */
  readonly number: string;
}

export interface AggregateOptions {
  /** Describes the values. */
  readonly field: Field;
  /** Describes the result. */
  readonly result: Field;
  /** True where equal values count once. */
  readonly distinct: boolean;
}

export interface OutOfRangePlaceholder {
  readonly placeholder: string;
  /** Returns whether the regular placeholder can represent a value. */
  fits(value: BindValue): boolean;
}

export interface SortKey {
  readonly before: string;
  readonly after: string;
  /** Suffix for nullable columns. */
  readonly nulls: string;
}

/** A constraint that a write violates. */
export interface Violation {
  readonly kind:
    | 'unique'
    | 'foreignKey'
    | 'referenced'
    | 'notNull'
    | 'required'
    | 'tooLong'
    | 'range'
    /** The database has no further value for a key that it generates. */
    | 'exhausted'
    /** The same, or the disk is full; `exhaustedKey` of the dialect tells which. */
    | 'full'
    | 'type'
    | 'check'
    | 'skipped'
    | 'broken';
  /** Columns reported by the database; may be empty. */
  readonly columns: readonly string[];
  /** Name or condition of the constraint, if the database reports it. */
  readonly constraint: string | null;
  /** Index of the bound value that the database rejected, if it reports one. */
  readonly parameter?: number;
}
