/** The loaded contents of `spec/`: data only, each part with its source file. */
import type { ErrorEntry, NamedSchema, Operation } from '../model/types.js';
import type { QueueModelSpec } from './queue-models.js';

export interface Spec {
  readonly api: ApiSpec;
  readonly errors: readonly ErrorEntry[];
  /** Collections by name; a team's file extends the package's file of the same name. */
  readonly collections: ReadonlyMap<string, CollectionSpec>;
  readonly operations: readonly Operation[];
  /** Schemas of operations that have a name in generated code, sorted by it. */
  readonly operationTypes: readonly NamedSchema[];
  /** Sorted by id. */
  readonly queueModels: readonly QueueModelSpec[];
}

export interface ApiSpec {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly tables: { readonly include: readonly string[]; readonly exclude: readonly string[] };
}

/** `spec/collections/<name>.yaml` */
export interface CollectionSpec {
  readonly collection: string;
  /** Path for messages, relative to its spec folder: `collections/svc_users.yaml`. */
  readonly source: string;
  /** Returns the position of a key, for messages of later steps; without a path, the beginning of the file. */
  readonly positionOf: (...path: readonly string[]) => Position | undefined;
  /** REST path of a system collection: `/users`. */
  readonly path: string | null;
  /** Written only by svc; grants never include writes. */
  readonly readonly: boolean;
  /** Defines access rules. */
  readonly access: boolean;
  /** A table of svc that is not a collection: no route, GraphQL type, model or documentation page. */
  readonly internal: boolean;
  /** Columns that `svc bootstrap` creates; only the package's own system tables have them. */
  readonly columns: ReadonlyMap<string, ColumnSpec> | null;
  readonly uniques: readonly (readonly string[])[];
  /** Indexes over several columns; for a single column use its `index`. */
  readonly indexes: readonly (readonly string[])[];
  /** Collection meta keys as in a snapshot: note, singleton, sort_field, hidden, … Unknown keys are kept. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Field meta keys per field: special, required, readonly, validation, note, … */
  readonly fields: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** Relations whose many side is this collection. */
  readonly relations: readonly RelationSpec[];
  readonly names: NamesSpec;
}

/** Spelling in TypeScript and GraphQL where the derived one collides. */
export interface NamesSpec {
  readonly typescript?: string;
  readonly graphql?: string;
  /** Field or relation name to its spelling in GraphQL. */
  readonly fields: ReadonlyMap<string, string>;
}

export interface Position {
  /** Path below the folder that `loadSpec` was given: `spec/collections/customer.yaml`. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A column of a system table, independent of the dialect. */
export interface ColumnSpec {
  readonly type:
    | 'uuid'
    | 'string'
    | 'text'
    | 'integer'
    | 'bigInteger'
    | 'boolean'
    | 'json'
    | 'csv'
    | 'timestamp';
  readonly key?: boolean;
  readonly autoIncrement?: boolean;
  readonly length?: number;
  readonly nullable: boolean;
  readonly default?: string | number | boolean;
  readonly unique?: boolean;
  readonly index?: boolean;
  /** Compared by code unit on every database: tokens, keys, e-mail addresses. */
  readonly binary?: boolean;
  readonly references?: {
    readonly table: string;
    readonly column: string;
    readonly onDelete: 'cascade' | 'set null' | 'restrict';
  };
}

/** Keys of `svc_relations`; the file implies the many side. An absent key is not set here. */
export interface RelationSpec {
  /** The column, or the name of the many-to-one where its key has several columns. */
  readonly field: string;
  readonly one_collection?: string | null;
  readonly one_field?: string | null;
  readonly one_collection_field?: string | null;
  readonly one_allowed_collections?: readonly string[] | null;
  readonly junction_field?: string | null;
  readonly sort_field?: string | null;
  readonly one_deselect_action?: 'nullify' | 'delete';
}

/** One fault in a spec file. All faults of a load are reported together. */
export interface SpecFault extends Position {
  /** Description of the problem. */
  readonly message: string;
  /** Description of the fix. */
  readonly remedy: string;
}
