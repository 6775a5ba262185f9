/** What reads and writes take beside their data. */
import type { Checked, Fields, ManyName, RelationName, Result, Target } from './fields.js';
import type { CollectionName, Filter, Key, KeyField, Item, UpdateInput } from './names.js';
import type { Schema } from './schema.js';
import type { CheckedSort } from './sort.js';

/** How items look: of one item, and of what a write answers. */
export interface ItemQuery<Name extends CollectionName, Chosen extends Fields<Name>> {
  /** Which fields; every column by default. */
  fields?: Checked<Name, Chosen> | undefined;
  /** Parameters of nested lists, by relation. */
  deep?: Schema[Name]['deep'] | undefined;
}

/** Which items. */
export interface Choice<Name extends CollectionName> {
  filter?: Filter<Name> | undefined;
  /** Words looked for in every text of an item. */
  search?: string | undefined;
  /** Most items to give: 100 by default, -1 for all. */
  limit?: number | undefined;
  offset?: number | undefined;
  /** Counted from 1, of `limit` items each. */
  page?: number | undefined;
}

/** What a list takes. */
export interface ListQuery<
  Name extends CollectionName,
  Chosen extends Fields<Name>,
  Keys extends readonly Schema[Name]['sortKey'][],
  Counts extends readonly MetaKey[],
>
  extends ItemQuery<Name, Chosen>, Choice<Name> {
  /** Names, `-` in front for descending. */
  sort?: CheckedSort<Name, Keys> | undefined;
  /** Counts to give beside the items: the answer is `{ data, meta }` then. */
  meta?: Counts | undefined;
}

export type MetaKey = 'total_count' | 'filter_count' | '*';

/** A list; with counts, where `meta` asked for some. */
export type ListResult<Name extends CollectionName, Chosen, Counts extends readonly MetaKey[]> = [
  Counts[number],
] extends [never]
  ? Result<Name, Chosen>[]
  : { data: Result<Name, Chosen>[]; meta: Meta<Counts[number]> };

type Meta<Asked extends MetaKey> = {
  [Name in '*' extends Asked ? Exclude<MetaKey, '*'> : Asked]: number;
};

/** Parameters of nested lists; keys without underscore are relations further down. */
export type Deep<Name extends CollectionName> = {
  [Key in RelationName<Name>]?: Schema[Target<Name, Key>]['deep'] &
    (Key extends ManyName<Name> ? DeepList<Target<Name, Key>> : DeepOne<Target<Name, Key>>);
};

/** An item that does not pass is null. */
export interface DeepOne<Name extends CollectionName> {
  _filter?: Filter<Name>;
}

export interface DeepList<Name extends CollectionName> extends DeepOne<Name> {
  _search?: string;
  _sort?: readonly Schema[Name]['nearSortKey'][];
  /** Most items to give: 100 by default, -1 for all. */
  _limit?: number;
  _offset?: number;
  _page?: number;
}

/** Items by key, or all that a query finds; never both. */
export type Selected<Name extends CollectionName> =
  | { keys: readonly Key<Name>[]; query?: never }
  | { query: Found<Name>; keys?: never };

interface Found<Name extends CollectionName> extends Choice<Name> {
  sort?: readonly Schema[Name]['nearSortKey'][] | undefined;
}

/** The same data for several items, or items with their keys and what changes in each. */
export type Changes<Name extends CollectionName> =
  | (Selected<Name> & { data: UpdateInput<Name> })
  | readonly ChangedItem<Name>[];

/** What changes of an item, with its key. */
export type ChangedItem<Name extends CollectionName> = UpdateInput<Name> &
  Pick<Item<Name>, KeyField<Name> & keyof Item<Name>>;
