/** Types of the queries of reads and writes. */
import type { AliasedDeep, NoAliases } from './alias.js';
import type { Checked, Fields, ManyName, RelationName, Result, Target } from './fields.js';
import type { CollectionName, Filter, Key, KeyField, Item, UpdateInput } from './names.js';
import type { Schema } from './schema.js';
import type { CheckedSort } from './sort.js';
import type { CallOptions } from './transport.js';

/** Query of the response of a write; `Other` has the aliases of a read. */
export interface ItemQuery<Name extends CollectionName, Chosen, Other = NoAliases> {
  /** Fields to return; all columns by default. */
  fields?: Checked<Name, Chosen, Other> | undefined;
  /** Parameters of nested lists, by relation. */
  deep?: AliasedDeep<Name, Other> | undefined;
  /** IANA name of the zone in which functions read timestamps. */
  timezone?: string | undefined;
  /** `false`: `*` does not lead back over the relation by which it came. */
  backlink?: boolean | undefined;
}

/** Query of one item; the result is `{ data, meta }` if `meta` asks for the ETag. */
export interface GetQuery<
  Name extends CollectionName,
  Chosen,
  Facts extends readonly 'etag'[],
  Etag extends string,
  Other = NoAliases,
> extends ItemQuery<Name, Chosen, Other> {
  meta?: Facts | undefined;
  /** ETag of the item that the caller has, from `get` with the same query; the result is null if nothing has changed. */
  ifNoneMatch?: Etag | undefined;
}

/** The result of `get`. The ETag is null where the query is too long for a URL. */
export type GetResult<Data, Facts extends readonly 'etag'[], Etag extends string> =
  | ([Facts[number]] extends [never] ? Data : { data: Data; meta: { etag: string | null } })
  | ([Etag] extends [never] ? never : null);

/** Options of every write. */
interface WriteOptions {
  /** Checks the write under all rules, stores nothing, and returns what would have been stored. */
  dryRun?: boolean | undefined;
}

/** Query of the response of a write. */
export interface WriteQuery<Name extends CollectionName, Chosen extends Fields<Name>>
  extends ItemQuery<Name, Chosen>, WriteOptions {}

/** Query of an update of one item. */
export interface ChangeQuery<Name extends CollectionName, Chosen extends Fields<Name>> extends WriteQuery<
  Name,
  Chosen
> {
  /** ETag that the item must have, from `get` with the same fields; else the update is `PRECONDITION_FAILED`. */
  ifMatch?: string | undefined;
}

/** Options of deletions. */
export interface DeleteManyOptions<Dry extends boolean> extends CallOptions {
  /** Checks the deletion under all rules, deletes nothing, and returns how many items it would delete. */
  readonly dryRun?: Dry | undefined;
}

/** Options of the deletion of one item. */
export interface DeleteOptions extends CallOptions, Readonly<WriteOptions> {
  /** ETag that the item must have, from `get` with all columns. */
  readonly ifMatch?: string | undefined;
}

/** Query of a create; with `onConflict`, the result is `{ data, meta }` with what happened to each item. */
export interface CreateQuery<
  Name extends CollectionName,
  Chosen extends Fields<Name>,
  Conflict extends 'update' | 'ignore',
> extends WriteQuery<Name, Chosen> {
  /** Changes or ignores items that are stored already. */
  onConflict?: Conflict | undefined;
  /** Fields of a unique constraint, or its name, by which stored items are found; the key by default. */
  conflict?: readonly string[] | undefined;
}

/** The result of a create. */
export type CreateResult<Data, Conflict extends 'update' | 'ignore'> = [Conflict] extends [never]
  ? Data
  : { data: Data; meta: { outcomes: Outcome<Conflict>[] } };

type Outcome<Conflict extends 'update' | 'ignore'> =
  | 'created'
  | (Conflict extends 'update' ? 'updated' : 'ignored');

/** Selects items. */
export interface Choice<Name extends CollectionName> {
  filter?: Filter<Name> | undefined;
  /** Words to search for in all text fields. */
  search?: string | undefined;
  /** Maximum number of items: 100 by default, -1 for all. */
  limit?: number | undefined;
  offset?: number | undefined;
  /** Page number from 1; a page has `limit` items. */
  page?: number | undefined;
}

/** Query of a list. */
export interface ListQuery<
  Name extends CollectionName,
  Chosen,
  Keys extends readonly Schema[Name]['sortKey'][],
  Counts extends readonly MetaKey[],
  Other = NoAliases,
>
  extends ItemQuery<Name, Chosen, Other>, Choice<Name> {
  /** Field names, with the prefix `-` for descending order. */
  sort?: CheckedSort<Name, Keys> | undefined;
  /** Cursor of the previous page, from `meta: ['cursor']`. */
  after?: string | undefined;
  /** Facts to return with the items: counts, and the cursor of the next page; the result is then `{ data, meta }`. */
  meta?: Counts | undefined;
}

/** Query of all pages of a list; `limit` is the size of a page. */
export type PagesQuery<
  Name extends CollectionName,
  Chosen,
  Keys extends readonly Schema[Name]['sortKey'][],
  Other = NoAliases,
> = Omit<ListQuery<Name, Chosen, Keys, [], Other>, 'meta' | 'after' | 'offset' | 'page'>;

/** Query of a list that is written into a file. */
export type ExportQuery<
  Name extends CollectionName,
  Chosen,
  Keys extends readonly Schema[Name]['sortKey'][],
  Other = NoAliases,
> = Omit<ListQuery<Name, Chosen, Keys, [], Other>, 'meta'>;

export type MetaKey = CountKey | 'cursor' | '*';

type CountKey = 'total_count' | 'filter_count';

/** The result of a list; with counts if `meta` requested any. */
export type ListResult<
  Name extends CollectionName,
  Chosen,
  Counts extends readonly MetaKey[],
  Other = NoAliases,
> = [Counts[number]] extends [never]
  ? Result<Name, Chosen, Other>[]
  : { data: Result<Name, Chosen, Other>[]; meta: Meta<Counts[number]> };

type Meta<Requested extends MetaKey> = {
  [Name in Exclude<Requested, '*'> | ('*' extends Requested ? CountKey : never)]: Name extends 'cursor'
    ? string | null
    : number;
};

/** Parameters of nested lists; keys without an underscore are relations at the next level. */
export type Deep<Name extends CollectionName> = {
  [Key in RelationName<Name>]?: DeepOf<Name, Key>;
};

/** Parameters of one relation. */
export type DeepOf<Name extends CollectionName, Key extends RelationName<Name>> = Schema[Target<
  Name,
  Key
>]['deep'] &
  (Key extends ManyName<Name> ? DeepList<Target<Name, Key>> : DeepOne<Target<Name, Key>>);

/** Parameters of a relation to one item; an item that does not match is null. */
export interface DeepOne<Name extends CollectionName> {
  _filter?: Filter<Name>;
}

export interface DeepList<Name extends CollectionName> extends DeepOne<Name> {
  _search?: string;
  _sort?: readonly Schema[Name]['nearSortKey'][];
  /** Maximum number of items: 100 by default, -1 for all. */
  _limit?: number;
  _offset?: number;
  _page?: number;
}

/** Selects items by key or by query, not by both; a query needs a filter, or a limit (-1: every item). */
export type Selected<Name extends CollectionName> =
  | { keys: readonly Key<Name>[]; query?: never }
  | { query: Found<Name>; keys?: never };

type Found<Name extends CollectionName> = Omit<Choice<Name>, 'filter' | 'limit'> & {
  sort?: readonly Schema[Name]['nearSortKey'][] | undefined;
} & (
    | { filter: Filter<Name>; limit?: number | undefined }
    | { filter?: Filter<Name> | undefined; limit: number }
  );

/** One set of changes for several items, or changed items with their keys. */
export type Changes<Name extends CollectionName> =
  | (Selected<Name> & { data: UpdateInput<Name> })
  | readonly ChangedItem<Name>[];

/** Changed fields of an item, with its key. */
export type ChangedItem<Name extends CollectionName> = UpdateInput<Name> &
  Pick<Item<Name>, KeyField<Name> & keyof Item<Name>>;
