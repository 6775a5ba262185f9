/** The snapshot of a schema: the format that is exported, compared and applied. */

import type { Deferrable } from '../../../generator/introspection/catalog.js';
import type { AccessSnapshot } from '../access-rows/types.js';

/** Format version of snapshots. */
export const snapshotVersion = 1;

export type Meta = Readonly<Record<string, unknown>>;

/** Roles, policies and permissions are present where they were requested. */
export interface Snapshot extends Partial<AccessSnapshot> {
  readonly version: number;
  /** Version of the service. */
  readonly svc: string;
  readonly vendor: string;
  /** Sorted by name. */
  readonly collections: readonly CollectionEntry[];
  /** Sorted by collection, then in table order; fields without a column come last. */
  readonly fields: readonly FieldEntry[];
  /** Indexes of system tables. Informative: `svc bootstrap` makes them. */
  readonly systemFields: readonly SystemFieldEntry[];
  /** Sorted by collection and field. */
  readonly relations: readonly RelationEntry[];
}

export interface CollectionEntry {
  readonly collection: string;
  readonly meta: Meta | null;
  readonly schema: CollectionSchema | null;
}

/** Lists are absent in snapshots of others; the flags of fields say then what they would. */
export interface CollectionSchema {
  readonly name: string;
  readonly comment?: string | null;
  readonly charset?: string | null;
  readonly collation?: string | null;
  readonly primary_key?: readonly string[];
  /** Absent for a primary key that every statement checks. */
  readonly primary_key_deferrable?: Deferrable | null;
  readonly uniques?: readonly UniqueEntry[];
  readonly indexes?: readonly IndexEntry[];
  readonly checks?: readonly CheckEntry[];
  readonly without_rowid?: boolean;
  readonly strict?: boolean;
  /** Sentences about properties that a snapshot does not describe. Informative: an apply neither makes nor removes them. */
  readonly incomplete?: readonly string[];
  /** A view is made by SQL: an apply changes its meta alone. */
  readonly is_view?: boolean;
}

export interface UniqueEntry {
  readonly name: string;
  readonly columns: readonly string[];
  /** Absent where every statement checks it. */
  readonly deferrable?: Deferrable;
}

export interface IndexEntry {
  readonly name: string;
  readonly unique: boolean;
  /** Column names, or objects where there is more to say. */
  readonly columns: readonly (string | IndexPartEntry)[];
  readonly method?: string;
  readonly predicate?: string;
  readonly include?: readonly string[];
  /** Has properties that a snapshot does not describe. */
  readonly incomplete?: boolean;
}

export interface IndexPartEntry {
  readonly column?: string;
  readonly expression?: string;
  readonly descending?: boolean;
  readonly length?: number;
}

export interface CheckEntry {
  readonly name: string;
  readonly expression: string;
  /** Absent for a check that is enforced. */
  readonly enforced?: false;
}

export interface FieldEntry {
  readonly collection: string;
  readonly field: string;
  readonly type: string;
  readonly meta: Meta | null;
  /** Absent for a field without a column. */
  readonly schema?: FieldSchema;
}

export interface FieldSchema {
  readonly name: string;
  readonly table: string;
  readonly data_type: string;
  readonly default_value: string | number | boolean | null;
  readonly default_kind?: 'literal' | 'expression' | null;
  readonly max_length: number | null;
  readonly numeric_precision: number | null;
  readonly numeric_scale: number | null;
  readonly datetime_precision?: number | null;
  readonly enum_values?: readonly string[] | null;
  /** System of coordinates of a geometry (EPSG). */
  readonly srid?: number | null;
  /** True where `select *` omits the column; absent for a visible one. */
  readonly is_invisible?: true;
  readonly is_nullable: boolean;
  readonly is_unique: boolean;
  readonly is_indexed?: boolean;
  readonly is_primary_key: boolean;
  readonly is_generated: boolean;
  readonly generation_expression: string | null;
  readonly generation_kind?: 'stored' | 'virtual' | null;
  readonly has_auto_increment: boolean;
  readonly auto_increment_kind?: string | null;
  readonly on_update?: string | null;
  readonly collation?: string | null;
  readonly comment?: string | null;
  readonly foreign_key_table: string | null;
  readonly foreign_key_column: string | null;
}

export interface SystemFieldEntry {
  readonly collection: string;
  readonly field: string;
  readonly schema: { readonly is_indexed: boolean };
}

export interface RelationEntry {
  readonly collection: string;
  /** The column; those of a composite key joined by commas. */
  readonly field: string;
  readonly related_collection: string | null;
  readonly meta: Meta | null;
  readonly schema: RelationSchema | null;
}

export interface RelationSchema {
  readonly table: string;
  readonly column: string;
  /** The columns of a composite key, and what they refer to. */
  readonly columns?: readonly string[];
  readonly references?: readonly string[];
  readonly foreign_key_table: string;
  readonly foreign_key_column: string;
  readonly constraint_name: string | null;
  readonly on_update: string;
  readonly on_delete: string;
  /** Absent where every statement checks it. */
  readonly deferrable?: Deferrable | null;
}
