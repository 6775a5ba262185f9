/** What the generated `Schema` says of a collection, by name. */
import type { Schema } from './schema.js';

/** Every collection. */
export type CollectionName = keyof Schema;

/** An item as `*` shows it: every column, relations as keys. */
export type Item<Name extends CollectionName> = Schema[Name]['item'];

/** What names one item: the value of its key, or the values of a composite key in order. */
export type Key<Name extends CollectionName> = Schema[Name]['key'];

/** What makes an item. */
export type CreateInput<Name extends CollectionName> = Schema[Name]['create'];

/** What changes an item. */
export type UpdateInput<Name extends CollectionName> = Schema[Name]['update'];

/** Which items. */
export type Filter<Name extends CollectionName> = Schema[Name]['filter'];

/** Fields of an item that are its key. */
export type KeyField<Name extends CollectionName> = Schema[Name]['keyFields'];

/** A related item that no field is asked of: its key, a composite one joined by commas. */
export type BareKey<Name extends CollectionName> = [Key<Name>] extends [never]
  ? Item<Name>
  : Key<Name> extends readonly unknown[]
    ? string
    : Key<Name>;
