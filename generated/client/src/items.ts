/** Methods of a collection, with the types of the schema. */
import type { Aliases, CheckedAliases, NoAliases } from './alias.js';
import type { EveryColumn, Fields, Result } from './fields.js';
import type { CollectionName, CreateInput, Key, UpdateInput } from './names.js';
import type { AggregateQuery, AggregateRow, Measures, Operand } from './aggregates.js';
import type {
  ChangeQuery,
  Changes,
  CreateQuery,
  CreateResult,
  DeleteManyOptions,
  DeleteOptions,
  ExportQuery,
  GetQuery,
  GetResult,
  ListQuery,
  ListResult,
  MetaKey,
  PagesQuery,
  Selected,
  WriteQuery,
} from './queries.js';
import type { Schema } from './schema.js';
import type { SubmitOptions } from './queue.js';
import type {
  ExportFormat,
  ExportResult,
  FileContent,
  ImportOptions,
  ImportResult,
  Transfer,
} from './transfers.js';
import type { CallOptions } from './transport.js';

/** Lists of a collection; `Other` has the aliases. */
interface ListedItems<Name extends CollectionName, Other = NoAliases> {
  /**
   * Returns the items that the caller may read; `{ data, meta }` if `meta` requests counts.
   * @throws ApiError
   */
  list<
    const Chosen extends Fields<Name, Other> = EveryColumn,
    const Keys extends readonly Schema[Name]['sortKey'][] = [],
    const Counts extends readonly MetaKey[] = [],
  >(
    query?: ListQuery<Name, Chosen, Keys, Counts, Other>,
    options?: CallOptions,
  ): Promise<ListResult<Name, Chosen, Counts, Other>>;

  /**
   * Queues an export of all items that match, or of `limit` of them, as a file.
   * @throws ApiError
   */
  export<
    const Chosen extends Fields<Name, Other> = EveryColumn,
    const Keys extends readonly Schema[Name]['sortKey'][] = [],
  >(
    format: ExportFormat,
    query?: ExportQuery<Name, Chosen, Keys, Other>,
    options?: SubmitOptions,
  ): Promise<Transfer<ExportResult>>;

  /**
   * Returns a list as a file that is read while it is sent; 100 items by default, all with `limit: -1`. Cancelling the stream stops
   * the query.
   * @throws ApiError
   */
  download<
    const Chosen extends Fields<Name, Other> = EveryColumn,
    const Keys extends readonly Schema[Name]['sortKey'][] = [],
  >(
    format: ExportFormat,
    query?: ExportQuery<Name, Chosen, Keys, Other>,
    options?: CallOptions,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
}

/**
 * All reads of a collection whose items have keys; `Other` has the aliases. Pages are read one after another by cursor: each item
 * once, in order, while others write.
 */
export interface ReadItems<Name extends CollectionName, Other = NoAliases> extends ListedItems<Name, Other> {
  /**
   * Reads page after page: `for await (const items of pages({ limit: 500 }))`. The list ends when the loop does.
   * @throws ApiError
   */
  pages<
    const Chosen extends Fields<Name, Other> = EveryColumn,
    const Keys extends readonly Schema[Name]['sortKey'][] = [],
  >(
    query?: PagesQuery<Name, Chosen, Keys, Other>,
    options?: CallOptions,
  ): AsyncGenerator<Result<Name, Chosen, Other>[], void, void>;

  /** Reads item after item, in pages of `limit`. @throws ApiError */
  iterate<
    const Chosen extends Fields<Name, Other> = EveryColumn,
    const Keys extends readonly Schema[Name]['sortKey'][] = [],
  >(
    query?: PagesQuery<Name, Chosen, Keys, Other>,
    options?: CallOptions,
  ): AsyncGenerator<Result<Name, Chosen, Other>, void, void>;

  /**
   * Returns one item by its key.
   * @throws ApiError `FORBIDDEN` when it does not exist for the caller
   */
  get<
    const Chosen extends Fields<Name, Other> = EveryColumn,
    const Facts extends readonly 'etag'[] = [],
    Etag extends string = never,
  >(
    key: Key<Name>,
    query?: GetQuery<Name, Chosen, Facts, Etag, Other>,
    options?: CallOptions,
  ): Promise<GetResult<Result<Name, Chosen, Other>, Facts, Etag>>;
}

interface MeasuredItems<Name extends CollectionName> {
  /**
   * Returns counts, sums and other measures of the items that the caller may read: one row, or one for each group.
   * @throws ApiError
   */
  aggregate<
    const Requested extends Measures<Name> = Record<never, never>,
    const Groups extends readonly Operand<Name>[] = [],
  >(
    query: AggregateQuery<Name, Requested, Groups>,
    options?: CallOptions,
  ): Promise<AggregateRow<Name, Requested, Groups>[]>;
}

/** A collection that can only be listed: a view, or a table without a key. */
export interface ViewItems<Name extends CollectionName> extends ListedItems<Name>, MeasuredItems<Name> {
  /**
   * Returns the reads of the collection with other names for its fields, functions and relations.
   *
   * @example
   * api.items('Album').alias({ long: 'Track' }).list({ fields: ['long.Name'], deep: { long: { _limit: 1 } } })
   */
  alias<const Other extends Aliases<Name>>(other: CheckedAliases<Name, Other>): ListedItems<Name, Other>;
}

/** Types describe the database; values that rules hide from the caller are null nevertheless. */
export interface TableItems<Name extends CollectionName> extends ReadItems<Name>, MeasuredItems<Name> {
  /** Options of every read, as in views. */
  alias<const Other extends Aliases<Name>>(other: CheckedAliases<Name, Other>): ReadItems<Name, Other>;

  /**
   * Creates one item and returns it with the fields of the query, or null if the caller may not read it.
   * @throws ApiError
   */
  create<const Chosen extends Fields<Name> = EveryColumn, const Conflict extends 'update' | 'ignore' = never>(
    data: CreateInput<Name>,
    query?: CreateQuery<Name, Chosen, Conflict>,
    options?: CallOptions,
  ): Promise<CreateResult<Result<Name, Chosen>, Conflict>>;

  /**
   * Creates several items, all or none.
   * @throws ApiError
   */
  createMany<
    const Chosen extends Fields<Name> = EveryColumn,
    const Conflict extends 'update' | 'ignore' = never,
  >(
    data: readonly CreateInput<Name>[],
    query?: CreateQuery<Name, Chosen, Conflict>,
    options?: CallOptions,
  ): Promise<CreateResult<Result<Name, Chosen>[], Conflict>>;

  /**
   * Updates fields of one item and returns it, or null if the caller may not read it.
   * @throws ApiError `FORBIDDEN` when it does not exist for the caller
   */
  update<const Chosen extends Fields<Name> = EveryColumn>(
    key: Key<Name>,
    data: UpdateInput<Name>,
    query?: ChangeQuery<Name, Chosen>,
    options?: CallOptions,
  ): Promise<Result<Name, Chosen>>;

  /**
   * Updates several items, all or none: by `{ keys, data }`, `{ query, data }`, or items with their keys.
   * @throws ApiError
   */
  updateMany<const Chosen extends Fields<Name> = EveryColumn>(
    changes: Changes<Name>,
    query?: WriteQuery<Name, Chosen>,
    options?: CallOptions,
  ): Promise<Result<Name, Chosen>[]>;

  /**
   * Queues an import of the rows of a file.
   * @throws ApiError
   */
  import(file: FileContent, options?: ImportOptions): Promise<Transfer<ImportResult>>;

  /** Deletes one item. @throws ApiError `FORBIDDEN` when it does not exist for the caller */
  delete(key: Key<Name>, options?: DeleteOptions): Promise<void>;

  /**
   * Deletes several items, all or none, by their keys or `{ query }`.
   * @throws ApiError
   */
  deleteMany<Dry extends boolean = false>(
    which: readonly Key<Name>[] | Selected<Name>,
    options?: DeleteManyOptions<Dry>,
  ): Promise<Dry extends true ? number : void>;
}

/** Methods of a collection that is a single item. */
export interface SingletonItems<Name extends CollectionName> {
  /**
   * Returns the item, or its defaults if it was never written.
   * @throws ApiError
   */
  get<
    const Chosen extends Fields<Name> = EveryColumn,
    const Facts extends readonly 'etag'[] = [],
    Etag extends string = never,
  >(
    query?: GetQuery<Name, Chosen, Facts, Etag>,
    options?: CallOptions,
  ): Promise<GetResult<Result<Name, Chosen>, Facts, Etag>>;

  /**
   * Updates fields of the item, or creates it, and returns it, or null if the caller may not read it.
   * @throws ApiError
   */
  update<const Chosen extends Fields<Name> = EveryColumn>(
    data: UpdateInput<Name>,
    query?: ChangeQuery<Name, Chosen>,
    options?: CallOptions,
  ): Promise<Result<Name, Chosen>>;
}

/** The methods of a collection, by its kind. */
export type Items<Name extends CollectionName> = Schema[Name]['kind'] extends 'table'
  ? TableItems<Name>
  : Schema[Name]['kind'] extends 'singleton'
    ? SingletonItems<Name>
    : ViewItems<Name>;
