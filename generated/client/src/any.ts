/** Types of many-to-any relations: `item` refers to an item of one of several collections, `item:quote` to one of quotes. */
import type { Below, Nested, Result } from './fields.js';
import type { BareKey, CollectionName, Item } from './names.js';
import type { Schema } from './schema.js';

/** A relation to items of any of the collections `To`; the field `By` has the name of the collection. */
export interface Any<To extends CollectionName, By extends string> {
  readonly to: To;
  readonly by: By;
}

type Anys<Name extends CollectionName> = Schema[Name]['any'];

/** Many-to-any relations of a collection, which are the fields with the keys. */
export type AnyName<Name extends CollectionName> = keyof Anys<Name> & string;

/** The collections that a relation may refer to. */
type AnyTarget<Name extends CollectionName, Relation> = Relation extends keyof Anys<Name>
  ? Anys<Name>[Relation] extends Any<infer To, string>
    ? To
    : never
  : never;

/** The field with the name of the collection. */
type AnyBy<Name extends CollectionName, Relation> = Relation extends keyof Anys<Name>
  ? Anys<Name>[Relation] extends Any<CollectionName, infer By>
    ? By
    : never
  : never;

/** Columns that every collection of a relation has, or `*`. */
export type SharedColumn<Name extends CollectionName, Relation> =
  | '*'
  | (keyof Item<AnyTarget<Name, Relation>> & string);

/** Fields of a collection with many-to-any relations, beside its columns. */
export type AnyFields<Name extends CollectionName> = AnyField<Name> | (Nested<Name> & NestedAny<Name>);

/** Fields that are read from every collection of a relation: `item.heading`. */
export type AnyField<Name extends CollectionName> = {
  [Relation in AnyName<Name>]: `${Relation}.${SharedColumn<Name, Relation>}`;
}[AnyName<Name>];

/** The same as an object: `{ item: ['heading'] }`. */
type NestedAny<Name extends CollectionName> = {
  readonly [Relation in AnyName<Name>]?: readonly SharedColumn<Name, Relation>[];
};

/** Filters by columns that every collection of a relation has. */
export type AnyFilter<To extends CollectionName> = {
  [Key in keyof Item<To> & keyof Schema[To]['filter']]?: Schema[To]['filter'][Key];
};

/** Relations whose items are selected, instead of the keys. */
export type ReadAny<Name extends CollectionName, Entry, Head> = {
  [Relation in AnyName<Name>]: [
    Extract<Head, `${Relation}:${string}`> | Below<Name, Entry, Relation>,
  ] extends [never]
    ? never
    : Relation;
}[AnyName<Name>];

/** Names that the parts of these relations replace. */
export type PartName<Name extends CollectionName, Relation extends string> =
  | Relation
  | `${Relation}:${string}`
  | AnyBy<Name, Relation>;

/** The items of relations, each with the field that names the collection where that is selected. */
export type AnyItems<Name extends CollectionName, Entry, Head, Relation extends string> = {
  [Key in Relation]: (part: AnyPart<Name, Entry, Head, Key>) => void;
}[Relation] extends (part: infer Parts) => void
  ? Parts
  : never;

type AnyPart<Name extends CollectionName, Entry, Head, Relation extends string> =
  AnyBy<Name, Relation> extends Head
    ? Variant<Name, Entry, Relation, AnyTarget<Name, Relation>> | NoItem<Name, Relation>
    : { [Key in Relation]: AnyItem<Name, Entry, Relation, AnyTarget<Name, Relation>> | null };

type Variant<Name extends CollectionName, Entry, Relation extends string, To> = To extends CollectionName
  ? { [Key in AnyBy<Name, Relation>]: To } & {
      [Key in Relation]: AnyItem<Name, Entry, Relation, To> | null;
    }
  : never;

type NoItem<Name extends CollectionName, Relation extends string> = null extends Item<Name>[AnyBy<
  Name,
  Relation
> &
  keyof Item<Name>]
  ? { [Key in Relation | AnyBy<Name, Relation>]: null }
  : never;

/** The selected fields of an item of `To`, or its key where none are. */
type AnyItem<Name extends CollectionName, Entry, Relation extends string, To> = To extends CollectionName
  ? [AnyInner<Name, Entry, Relation, To>] extends [never]
    ? BareKey<To>
    : Result<To, readonly AnyInner<Name, Entry, Relation, To>[]>
  : never;

type AnyInner<Name extends CollectionName, Entry, Relation extends string, To extends string> =
  | Below<Name, Entry, Relation>
  | ([Below<Name, Entry, `${Relation}:${To}`>] extends [never]
      ? WholeItem<Extract<Entry, `${Relation}:${To}`>>
      : Below<Name, Entry, `${Relation}:${To}`>);

/** All fields, where a collection is named alone. */
type WholeItem<Scope> = [Scope] extends [never] ? never : '*';
