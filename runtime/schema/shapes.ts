/**
 * Tables as they are or as they shall be: what snapshot, diff and apply share. An expression is a tree, or the SQL of the
 * database where the grammar does not have it.
 */
import type { Deferrable } from '../../generator/introspection/catalog.js';
import type { Expression } from './expressions/tree.js';

export type { Deferrable } from '../../generator/introspection/catalog.js';

export type SchemaExpression =
  | { readonly kind: 'tree'; readonly tree: Expression }
  /** Kept, compared and shown; never sent to a database. */
  | { readonly kind: 'raw'; readonly sql: string };

export interface TableShape {
  readonly name: string;
  readonly comment: string | null;
  /** `null`: as the database. */
  readonly collation: string | null;
  readonly options: TableOptions;
  /** Columns in the order of the table. */
  readonly columns: readonly ColumnShape[];
  readonly primaryKey: readonly string[];
  /** Absent for a primary key that every statement checks. */
  readonly keyDeferrable?: Deferrable;
  readonly uniques: readonly UniqueShape[];
  readonly indexes: readonly IndexShape[];
  readonly checks: readonly CheckShape[];
  readonly foreignKeys: readonly ForeignKeyShape[];
  /** Sentences about properties that are not described here; absent where there are none. */
  readonly incomplete?: readonly string[];
  /** Statements of triggers that a new table in its place needs again; never part of a snapshot. */
  readonly triggers: readonly string[];
}

export interface TableOptions {
  readonly withoutRowid?: boolean;
  readonly strict?: boolean;
}

export interface ColumnShape {
  readonly name: string;
  /** The database's type name without sizes. */
  readonly dataType: string;
  readonly length: number | null;
  readonly precision: number | null;
  readonly scale: number | null;
  readonly fraction: number | null;
  readonly values: readonly string[] | null;
  /** System of coordinates of a geometry (EPSG), null: any; absent for types that have none. */
  readonly srid?: number | null;
  /** True where `select *` omits the column; absent for a visible one. */
  readonly invisible?: true;
  readonly nullable: boolean;
  readonly default: DefaultShape | null;
  readonly generated: { readonly expression: SchemaExpression; readonly stored: boolean } | null;
  /** The database's own word for the way in which it generates keys, or `yes` where that is not stated. */
  readonly autoIncrement: string | null;
  /** True where every update sets the current time. */
  readonly onUpdate: boolean;
  readonly collation: string | null;
  readonly comment: string | null;
}

export type DefaultShape =
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'expression'; readonly expression: SchemaExpression };

export interface UniqueShape {
  readonly name: string;
  readonly columns: readonly string[];
  /** Absent where every statement checks it. */
  readonly deferrable?: Deferrable;
}

export interface IndexShape {
  readonly name: string;
  readonly unique: boolean;
  /** `null`: the usual one. */
  readonly method: string | null;
  readonly parts: readonly IndexPartShape[];
  readonly predicate: SchemaExpression | null;
  readonly include: readonly string[];
  /** True where the database holds more about it than this. */
  readonly incomplete: boolean;
}

export interface IndexPartShape {
  /** A column, or an expression. */
  readonly column: string | null;
  readonly expression: SchemaExpression | null;
  readonly descending: boolean;
  readonly length: number | null;
}

export interface CheckShape {
  readonly name: string;
  readonly expression: SchemaExpression;
  /** Absent for a check that is enforced. */
  readonly enforced?: false;
}

export interface ForeignKeyShape {
  readonly name: string;
  readonly columns: readonly string[];
  readonly table: string;
  readonly references: readonly string[];
  readonly onUpdate: ReferenceAction;
  readonly onDelete: ReferenceAction;
  /** Absent where every statement checks it. */
  readonly deferrable?: Deferrable;
}

export type ReferenceAction = 'NO ACTION' | 'RESTRICT' | 'CASCADE' | 'SET NULL' | 'SET DEFAULT';

/** A type name that a column may have. */
export interface DataType {
  /** Arguments that follow the name. */
  readonly size: 'none' | 'length' | 'decimal' | 'fraction' | 'values' | 'srid';
  readonly kind: 'text' | 'number' | 'smallint' | 'boolean' | 'other';
}
