/** What people write in `spec/`, after loading: data only, each part knowing the file it came from. */
import type { ErrorEntry, NamedSchema, Operation } from '../model/types.js';
import type { QueueModelSpec } from './queue-models.js';

export interface Spec {
  readonly api: ApiSpec;
  readonly errors: readonly ErrorEntry[];
  /** By collection name; a team's file extends the package's file of the same name. */
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
  /** `collections/svc_users.yaml`, relative to its spec folder: what messages name. */
  readonly source: string;
  /** Where each key stands, by path `fields.email.note` (`pathKey` in `faults.ts`): for messages of later steps. */
  readonly positions: ReadonlyMap<string, Position>;
  /** REST path of a system collection: `/users`. */
  readonly path: string | null;
  /** Written by svc alone: nobody has a grant to. */
  readonly readonly: boolean;
  /** Says who may do what. */
  readonly access: boolean;
  /** A table of svc that is no collection: no route, no GraphQL type, no model, no page of the docs. */
  readonly internal: boolean;
  /** Columns that `svc bootstrap` creates; only the package's own system tables have them. */
  readonly columns: ReadonlyMap<string, ColumnSpec> | null;
  readonly uniques: readonly (readonly string[])[];
  /** Of several columns; a column of its own says `index`. */
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
  /** As the folder was given to `loadSpec`: `spec/collections/customer.yaml`. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A column of a system table, in dialect-free words. */
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
  /** Compared by code unit on every vendor: tokens, keys, e-mail addresses. */
  readonly binary?: boolean;
  readonly references?: {
    readonly table: string;
    readonly column: string;
    readonly onDelete: 'cascade' | 'set null' | 'restrict';
  };
}

/** Keys of `svc_relations`, the many side implied by the file. An absent key is not said here. */
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
  /** What was wrong. */
  readonly message: string;
  /** What would be right. */
  readonly remedy: string;
}
