/** Types of `fields` and of the items that a selection returns. */
import type { AliasField, CheckedAliased, NoAliases } from './alias.js';
import type { AnyField, AnyFields, AnyName, AnyItems, PartName, ReadAny, SharedColumn } from './any.js';
import type { Call, CallValue, ResultKey } from './functions.js';
import type { BareKey, CollectionName, Item } from './names.js';
import type { Schema } from './schema.js';
import type { NoRelations } from './types.js';

type Relations<Name extends CollectionName> = Schema[Name]['relations'];

/** Relations of a collection, to one item or to many. */
export type RelationName<Name extends CollectionName> = keyof Relations<Name> & string;

/** Columns of a collection, and lists that are returned like columns. */
export type ColumnName<Name extends CollectionName> = keyof Item<Name> & string;

/** The related collection. */
export type Target<
  Name extends CollectionName,
  Key extends RelationName<Name>,
> = Relations<Name>[Key] extends {
  readonly to: infer Other extends CollectionName;
} | null
  ? Other
  : never;

/** Relations to lists. */
export type ManyName<Name extends CollectionName> = {
  [Key in RelationName<Name>]: Relations<Name>[Key] extends { readonly list: true } ? Key : never;
}[RelationName<Name>];

/** Relations to one item. */
export type OneName<Name extends CollectionName> = Exclude<RelationName<Name>, ManyName<Name>>;

/** A name, a path such as `ArtistId.Name`, a function, `*` for all columns, or an object with the fields of relations. */
export type Field<Name extends CollectionName> =
  | '*'
  | `*.${string}`
  | ColumnName<Name>
  | Call<Name>
  | RelationName<Name>
  | `${RelationName<Name>}.${string}`
  | (NoRelations extends Relations<Name> ? never : RelationFields<Name>);

/** Objects with fields of relations; a collection without relations has none, as `{}` would be any name. */
type RelationFields<Name extends CollectionName> = NoRelations extends Schema[Name]['any']
  ? Nested<Name>
  : AnyFields<Name>;

/** Fields of related items, by relation. */
export type Nested<Name extends CollectionName> = {
  readonly [Relation in RelationName<Name>]?: Fields<Target<Name, Relation>>;
};

/** A value of `fields`; `Other` has the aliases. */
export type Fields<Name extends CollectionName, Other = NoAliases> = readonly (
  | Schema[Name]['field']
  | AliasField<Name, Other>
)[];

/** The default selection. */
export type EveryColumn = readonly ['*'];

/** Items with the selected fields; `Other` has the aliases. */
export type Result<
  Name extends CollectionName,
  Chosen,
  Other = NoAliases,
> = Chosen extends readonly (infer Entry)[]
  ? [Entry] extends ['*']
    ? Item<Name>
    : [keyof Other | keyof Schema[Name]['any']] extends [never]
      ? { [Key in Heads<Name, Entry> as ResultKey<Key>]: Shown<Name, Key, Below<Name, Entry, Key>> }
      : NamedResult<Name, Entry, Other, Heads<Name, Entry, (keyof Other & string) | AnyName<Name>>>
  : never;

/** Items with aliases, or with items of many-to-any relations. */
type NamedResult<
  Name extends CollectionName,
  Entry,
  Other,
  Head extends string,
  Any extends string = ReadAny<Name, Entry, Head>,
> = Flat<
  {
    [Key in Exclude<Head, PartName<Name, Any>> as Key extends keyof Other ? Key : ResultKey<Key>]: Shown<
      Name,
      Key extends keyof Other ? Other[Key] & string : Key,
      Below<Name, Entry, Key>
    >;
  } & ([Any] extends [never] ? unknown : AnyItems<Name, Entry, Head, Any>)
>;

type Flat<Type> = Type extends unknown ? { [Key in keyof Type]: Type[Key] } : never;

/** The first segment of every entry, with `*` expanded; `More`: names beside the relations. Column names may contain dots too. */
type Heads<Name extends CollectionName, Entry, More = never> = Entry extends '*' | `*.${string}`
  ? Schema[Name]['columnName']
  : Entry extends `${infer Head}.${string}`
    ? Head extends RelationName<Name> | More
      ? Head
      : Entry
    : Entry extends string
      ? Entry
      : keyof Entry & string;

/** The remaining segments of the entries below a name. */
export type Below<Name extends CollectionName, Entry, Key extends string> = Entry extends string
  ? Entry extends `${Key}.${infer Rest}`
    ? Rest
    : Entry extends `*.${infer Rest}`
      ? Key extends Schema[Name]['columnName']
        ? Rest
        : never
      : never
  : Entry extends { readonly [Name in Key]: readonly (infer Inner)[] }
    ? Inner
    : never;

/** The value of a name: the column, or the related items with the fields of `Inner`. */
type Shown<Name extends CollectionName, Key extends string, Inner> =
  Key extends RelationName<Name>
    ? Relations<Name>[Key] extends { readonly list: true }
      ? ManyShown<Target<Name, Key>, Inner>[]
      : [Inner] extends [never]
        ? OneKey<Name, Key>
        : Result<Target<Name, Key>, readonly Inner[]> | Extract<Relations<Name>[Key], null>
    : Key extends ColumnName<Name>
      ? Item<Name>[Key]
      : CallValue<Name, Key>;

type ManyShown<Name extends CollectionName, Inner> = [Inner] extends [never]
  ? BareKey<Name>
  : Result<Name, readonly Inner[]>;

/** A relation by one column is its key; a relation over several columns is the item. */
type OneKey<Name extends CollectionName, Key extends RelationName<Name>> =
  Key extends ColumnName<Name>
    ? Item<Name>[Key]
    : Item<Target<Name, Key>> | Extract<Relations<Name>[Key], null>;

/**
 * The selection itself if every path exists; otherwise an error message replaces each path that does not. The general
 * type `Fields`, which is every possible selection, is accepted without checking each path.
 */
export type Checked<Name extends CollectionName, Chosen, Other = NoAliases> =
  Fields<Name> extends Chosen
    ? Chosen
    : [keyof Other] extends [never]
      ? NoInfer<Chosen extends CheckedEntries<Name, Chosen> ? Chosen : CheckedEntries<Name, Chosen>>
      : NoInfer<
          Chosen extends CheckedAliased<Name, Chosen, Other> ? Chosen : CheckedAliased<Name, Chosen, Other>
        >;

export type CheckedEntries<Name extends CollectionName, Chosen> = {
  readonly [Index in keyof Chosen]: Schema[Name]['field'] extends Chosen[Index]
    ? Chosen[Index]
    : CheckedEntry<Name, Chosen[Index]>;
};

/** Checks a path; names without a dot are checked by `Field`. */
export type CheckedEntry<Name extends CollectionName, Entry> = Entry extends `${string}.${string}`
  ? CheckedPath<Name, Entry, Entry>
  : Entry extends string
    ? Entry
    : { readonly [Key in keyof Entry]: CheckedBelow<Name, Key, Entry[Key]> };

/** Checks the fields of one relation. */
export type CheckedBelow<Name extends CollectionName, Key, Inner> =
  Key extends RelationName<Name>
    ? CheckedEntries<Target<Name, Key>, Inner>
    : Key extends AnyName<Name>
      ? Inner & readonly SharedColumn<Name, Key>[]
      : never;

/** Follows a path from relation to relation; `Whole` is the complete path. */
export type CheckedPath<
  Name extends CollectionName,
  Path extends string,
  Whole,
> = Path extends `${infer Head}.${infer Rest}`
  ? Head extends '*'
    ? [StarTarget<Name>] extends [never]
      ? CheckedLast<Name, Rest, Whole>
      : CheckedPath<StarTarget<Name>, Rest, Whole>
    : Head extends RelationName<Name>
      ? CheckedPath<Target<Name, Head>, Rest, Whole>
      : Path extends Schema[Name]['columnName'] | Schema[Name]['call'] | AnyField<Name>
        ? Whole
        : NotThere<Name, Head, 'relation'>
  : Path extends '*' | Schema[Name]['columnName'] | Schema[Name]['call'] | RelationName<Name>
    ? Whole
    : NotThere<Name, Path, 'field'>;

/** Checks the rest of a path after a `*` without relations: only further stars are valid. */
type CheckedLast<Name extends CollectionName, Rest extends string, Whole> = Rest extends '*' | `*.${string}`
  ? Whole
  : NotThere<Name, Rest, 'field'>;

/** The collections that relations among the columns refer to. */
type StarTarget<Name extends CollectionName> = {
  [Key in RelationName<Name> & Schema[Name]['columnName']]: Target<Name, Key>;
}[RelationName<Name> & Schema[Name]['columnName']];

/** An error message for the compiler to show. */
export type NotThere<
  Name extends CollectionName,
  What extends string,
  Kind extends string,
> = `${Name} has no ${Kind} ${What}`;
