/** What can be done with a collection, with the types of the schema. */
import type { EveryColumn, Fields, Result } from './fields.js';
import type { CollectionName, CreateInput, Key, UpdateInput } from './names.js';
import type { Changes, ItemQuery, ListQuery, ListResult, MetaKey, Selected } from './queries.js';
import type { Schema } from './schema.js';
import type { CallOptions } from './transport.js';

/** A collection that can only be listed: a view, or a table without a key. */
export interface ViewItems<Name extends CollectionName> {
  /**
   * Items that the caller may read; `{ data, meta }` where `meta` asks for counts.
   * @throws ApiError
   */
  list<
    const Chosen extends Fields<Name> = EveryColumn,
    const Keys extends readonly Schema[Name]['sortKey'][] = [],
    const Counts extends readonly MetaKey[] = [],
  >(
    query?: ListQuery<Name, Chosen, Keys, Counts>,
    options?: CallOptions,
  ): Promise<ListResult<Name, Chosen, Counts>>;
}

/** Types say what the database may hold; what rules hide from the caller is null beyond that. */
export interface TableItems<Name extends CollectionName> extends ViewItems<Name> {
  /**
   * One item by its key.
   * @throws ApiError `FORBIDDEN` where there is none for the caller
   */
  get<const Chosen extends Fields<Name> = EveryColumn>(
    key: Key<Name>,
    query?: ItemQuery<Name, Chosen>,
    options?: CallOptions,
  ): Promise<Result<Name, Chosen>>;

  /**
   * Makes one item, and gives it as the query asks; null to a caller who may not read it.
   * @throws ApiError
   */
  create<const Chosen extends Fields<Name> = EveryColumn>(
    data: CreateInput<Name>,
    query?: ItemQuery<Name, Chosen>,
    options?: CallOptions,
  ): Promise<Result<Name, Chosen>>;

  /**
   * Makes several items, all or none.
   * @throws ApiError
   */
  createMany<const Chosen extends Fields<Name> = EveryColumn>(
    data: readonly CreateInput<Name>[],
    query?: ItemQuery<Name, Chosen>,
    options?: CallOptions,
  ): Promise<Result<Name, Chosen>[]>;

  /**
   * Changes what is given of one item; null to a caller who may not read it.
   * @throws ApiError `FORBIDDEN` where there is none for the caller
   */
  update<const Chosen extends Fields<Name> = EveryColumn>(
    key: Key<Name>,
    data: UpdateInput<Name>,
    query?: ItemQuery<Name, Chosen>,
    options?: CallOptions,
  ): Promise<Result<Name, Chosen>>;

  /**
   * Changes several items, all or none: `{ keys, data }`, `{ query, data }`, or items with their keys.
   * @throws ApiError
   */
  updateMany<const Chosen extends Fields<Name> = EveryColumn>(
    changes: Changes<Name>,
    query?: ItemQuery<Name, Chosen>,
    options?: CallOptions,
  ): Promise<Result<Name, Chosen>[]>;

  /** @throws ApiError `FORBIDDEN` where there is none for the caller */
  delete(key: Key<Name>, options?: CallOptions): Promise<void>;

  /**
   * Deletes several items, all or none: their keys, or `{ query }`.
   * @throws ApiError
   */
  deleteMany(which: readonly Key<Name>[] | Selected<Name>, options?: CallOptions): Promise<void>;
}

/** A collection that is one item. */
export interface SingletonItems<Name extends CollectionName> {
  /**
   * The item; its defaults where it was never written.
   * @throws ApiError
   */
  get<const Chosen extends Fields<Name> = EveryColumn>(
    query?: ItemQuery<Name, Chosen>,
    options?: CallOptions,
  ): Promise<Result<Name, Chosen>>;

  /**
   * Changes what is given of it, and makes it where there is none; null to a caller who may not read it.
   * @throws ApiError
   */
  update<const Chosen extends Fields<Name> = EveryColumn>(
    data: UpdateInput<Name>,
    query?: ItemQuery<Name, Chosen>,
    options?: CallOptions,
  ): Promise<Result<Name, Chosen>>;
}

/** What can be done with a collection. */
export type Items<Name extends CollectionName> = Schema[Name]['kind'] extends 'table'
  ? TableItems<Name>
  : Schema[Name]['kind'] extends 'singleton'
    ? SingletonItems<Name>
    : ViewItems<Name>;
