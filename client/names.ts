/** Types of a collection in the generated `Schema`, by name. */
import type { Schema } from './schema.js';

/** The name of a collection. */
export type CollectionName = keyof Schema;

/** An item as `*` returns it: all columns, with relations as keys. */
export type Item<Name extends CollectionName> = Schema[Name]['item'];

/** The key of an item: one value, or the values of a composite key in order. */
export type Key<Name extends CollectionName> = Schema[Name]['key'];

/** The input that creates an item. */
export type CreateInput<Name extends CollectionName> = Schema[Name]['create'];

/** The input that updates an item. */
export type UpdateInput<Name extends CollectionName> = Schema[Name]['update'];

/** The filter of a collection. */
export type Filter<Name extends CollectionName> = Schema[Name]['filter'];

/** The fields of an item's key. */
export type KeyField<Name extends CollectionName> = Schema[Name]['keyFields'];

/** A related item without selected fields: its key, with the parts of a composite key joined by commas. */
export type BareKey<Name extends CollectionName> = [Key<Name>] extends [never]
  ? Item<Name>
  : Key<Name> extends readonly unknown[]
    ? string
    : Key<Name>;
