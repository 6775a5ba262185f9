/** Printers of the DDL of one database. Types only, a part of the interface in `contract.ts`. */
import type { SchemaMapping } from '../schema/mapping/types.js';
import type { KeyKind } from '../schema/key-renames.js';
import type { ColumnRename } from '../schema/apply/rename-column.js';
import type { ExpressionSyntax } from '../schema/expressions/syntax.js';
import type { Cost, ExactCost, TableChange } from '../schema/explain/table-changes.js';
import type { FormerNames } from '../schema/findings/finding.js';
import type { Database, Executor } from './contract.js';
import type { ExpressionPrinter } from '../schema/expressions/print.js';
import type { ColumnShape, DataType, ForeignKeyShape, IndexShape, TableShape } from '../schema/shapes.js';
import type { NamedColumns, SystemForeignKey, SystemColumn, SystemTable } from '../schema/system-tables.js';

/** Prints the DDL of the system tables. Every method but `quote` returns one statement. */
export interface DdlPrinter {
  quote(name: string): string;
  /** Includes the primary key, unique constraints and indexes; foreign keys only if `addForeignKey` is null. */
  createTable(table: SystemTable, foreignKeys: readonly SystemForeignKey[]): string;
  addColumn(table: string, column: SystemColumn): string;
  addUnique(table: string, unique: NamedColumns): string;
  addIndex(table: string, index: NamedColumns): string;
  /** `null` if foreign keys can be created only together with their table or column. */
  readonly addForeignKey: ((table: string, key: SystemForeignKey) => string) | null;
  /** True where `createTable` omits indexes, so that each needs a statement of its own. */
  readonly separateIndexes: boolean;
}

/** The type of a column that is made for a field type, as a snapshot describes it. */
export interface NewColumnType {
  readonly data_type: string;
  readonly max_length?: number;
  readonly numeric_precision?: number;
  readonly numeric_scale?: number;
}

/** Values of a column of which the type changes. */
export interface ConvertedValues {
  /** Quoted table and column, as they are named now. */
  readonly table: string;
  readonly column: string;
  readonly old: ColumnShape;
  readonly wanted: ColumnShape;
}

/** Labels of an enum that values of a column may hold. */
export interface HeldLabels {
  readonly column: ColumnShape;
  readonly labels: readonly string[];
}

/** Prints what a change of the collation does to texts. */
export interface Collations {
  /** Returns a value as the collation compares it. */
  convert(value: string, collation: string): string;
  /** Returns the condition of values that have characters which the other character set lacks; null where it has all. */
  lossOf(
    value: string,
    change: { readonly from: string; readonly to: string },
  ): { readonly condition: string; readonly set: string } | null;
}

/** The alteration of a table without its foreign keys, after renames. */
export interface MeasuredAlter {
  readonly before: TableShape;
  readonly after: TableShape;
  /** The names that the database has now, by the new ones. */
  readonly former: FormerNames;
}

/** Statements for types that tables share. */
export interface TypeChanges {
  /** New labels of enums: each is committed before other statements use it. */
  readonly labels: readonly string[];
  /** Statements before and after the tables change. */
  readonly first: readonly string[];
  readonly last: readonly string[];
}

/** Settings and transaction around the statements of an apply, for a file that a person runs. */
export interface Script {
  /** Settings of the session, on which the meaning of the statements depends. */
  readonly session: readonly string[];
  readonly begin: readonly string[];
  readonly commit: readonly string[];
}

/** Builds new indexes while rows are written. */
export interface IndexBuilds {
  readonly cost: Cost;
  /** Returns statements, after one that drops what an attempt that failed has left; none where the table has no rows. */
  plan(table: string, index: IndexShape, executor: Executor): Promise<readonly string[]>;
}

/** Prints the DDL of an apply. */
export interface SchemaPrinter {
  /** Prints expressions in the database's spelling. */
  readonly syntax: ExpressionSyntax;
  /** Their spelling in DDL. */
  readonly expressions: ExpressionPrinter;
  /** True where DDL can be rolled back. */
  readonly transactional: boolean;
  /** True where `NO ACTION` and `RESTRICT` are the same. */
  readonly noActionIsRestrict: boolean;
  /** True where a foreign key has an index that the database makes. */
  readonly indexesForeignKeys: boolean;
  /** Matches names that the database keeps for itself. */
  readonly reserved: RegExp;
  /** Match the names that constraints have which were created without one; absent where they depend on nothing that changes. */
  readonly automaticNames?: {
    readonly uniques?: RegExp;
    readonly checks: RegExp;
    readonly foreignKeys: RegExp;
  };
  /** Maximum length of a name, in the unit of `nameLength`. */
  readonly maxName: number;
  nameLength(name: string): number;
  /** Returns what is known of a type name, or null for one that a diff may not ask for. */
  dataType(name: string, values: readonly string[] | null): DataType | null;
  /** Bits of the integer types, by name in lower case. */
  readonly integerBits: ReadonlyMap<string, number>;
  /** Maximum bytes of the types of texts and binary values, by name in lower case; absent where no type has one. */
  readonly byteLimits?: ReadonlyMap<string, number>;
  /** Returns the condition of values that hold one of the labels. Absent, and null, where a value is one label. */
  holdsLabel?(value: string, held: HeldLabels): string | null;
  /** Absent where a change that the data does not allow is rolled back as a whole. */
  readonly collations?: Collations;
  /** Digits after the second of types of time that do not give them. */
  readonly usualFraction: number;
  /** Column types of new fields by field type. */
  readonly fieldTypes: Readonly<Record<string, NewColumnType>>;
  /** Other names of types. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** True where a unique index of whole columns is the same as a unique constraint. */
  readonly uniqueIndexIsConstraint: boolean;
  /** Returns a column in the form in which the database describes it, where there are several. */
  normalizeColumn(column: ColumnShape): ColumnShape;
  /** Returns the only column of a primary key as the database describes it. Absent where that is like any other. */
  normalizeKey?(column: ColumnShape, options: TableShape['options']): ColumnShape;
  /** True where names of tables that differ in case alone are the same. */
  readonly foldsTableNames?: true;
  /** True where a column may have defaults of other types. */
  readonly takesAnyDefault?: true;
  /** Returns the type with its sizes, as in `varchar(20)`. */
  printType(column: ColumnShape): string;
  /** Foreign keys to other tables only if `addForeignKey` is null. */
  createTable(table: TableShape): readonly string[];
  dropTable(name: string): string;
  renameTable(from: string, to: string): readonly string[];
  /** @param tables the table, and the same one in which the column has its new name everywhere */
  renameColumn(
    column: ColumnRename,
    tables: { readonly before: TableShape; readonly after: TableShape },
  ): string;
  /** The constraints and indexes that can get another name; others are dropped and added. */
  readonly renamable: ReadonlySet<KeyKind>;
  /** Returns statements that make one table the other, which has the same name. */
  alterTable(before: TableShape, after: TableShape): readonly string[];
  /** Returns whether altering a table makes it anew, by what is known of it. Absent where that never happens. */
  isMadeAnew?(before: TableShape, after: TableShape): boolean;
  /** `null` if foreign keys are part of the table. */
  readonly addForeignKey: ((table: string, key: ForeignKeyShape) => string) | null;
  dropForeignKey(table: TableShape, key: ForeignKeyShape): string;
  /** Gives a foreign key another name by one statement. Absent where foreign keys are part of the table. */
  renameForeignKey?(table: TableShape, key: ForeignKeyShape, to: string): string;
  /** True where the SQL of views and triggers gets the new name of what is renamed. */
  readonly renamesInViews: boolean;
  /** Returns the columns that an alteration changes in a way that is refused where views use them. Absent where none is. */
  replacedColumns?(before: TableShape, after: TableShape): readonly string[];
  script(executor: Pick<Executor, 'query'>): Promise<Script>;
  /** Returns what a change of a table costs. */
  costOf(change: TableChange, tables: { readonly before: TableShape; readonly after: TableShape }): Cost;
  /**
   * Asks the server what altering a table, without its foreign keys, takes: on an empty copy that is gone afterwards.
   * Returns null where the server cannot tell. Absent where `costOf` follows from the statements.
   */
  measureAlter?(measured: MeasuredAlter, database: Database): Promise<ExactCost | null>;
  /** Counts the values that cannot be converted to another type. Absent where every value can. */
  countInconvertible?(values: ConvertedValues, executor: Executor): Promise<number>;
  /** Statements for types that tables share. Absent without such types. */
  changeTypes?(before: readonly TableShape[], after: readonly TableShape[]): TypeChanges;
  /** Builds indexes outside of a transaction while rows are written. Absent where every index is built like that. */
  readonly indexBuilds?: IndexBuilds;
  /** Mapping of snapshots of other databases to this one. */
  readonly mapping: SchemaMapping;
  /** Returns the printer for a database in which types were created, with the labels of enums. */
  withTypes?(types: ReadonlyMap<string, readonly string[] | null>): SchemaPrinter;
}
