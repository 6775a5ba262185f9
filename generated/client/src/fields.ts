/** Types of `fields` and of the items that a selection returns. */
import type { Call, CallValue, ResultKey } from './functions.js';
import type { BareKey, CollectionName, Item } from './names.js';
import type { Schema } from './schema.js';

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
  | Nested<Name>;

/** Fields of related items, by relation. */
export type Nested<Name extends CollectionName> = {
  readonly [Relation in RelationName<Name>]?: Fields<Target<Name, Relation>>;
};

/** A value of `fields`. */
export type Fields<Name extends CollectionName> = readonly Schema[Name]['field'][];

/** The default selection. */
export type EveryColumn = readonly ['*'];

/** Items with the selected fields. */
export type Result<Name extends CollectionName, Chosen> = Chosen extends readonly (infer Entry)[]
  ? [Entry] extends ['*']
    ? Item<Name>
    : { [Key in Heads<Name, Entry> as ResultKey<Key>]: Shown<Name, Key, Below<Name, Entry, Key>> }
  : never;

/** The first segment of every entry, with `*` expanded. Column names may contain dots too. */
type Heads<Name extends CollectionName, Entry> = Entry extends '*' | `*.${string}`
  ? Schema[Name]['columnName']
  : Entry extends `${infer Head}.${string}`
    ? Head extends RelationName<Name>
      ? Head
      : Entry
    : Entry extends string
      ? Entry
      : keyof Entry & string;

/** The remaining segments of the entries below a name. */
type Below<Name extends CollectionName, Entry, Key extends string> = Entry extends string
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
export type Checked<Name extends CollectionName, Chosen> =
  Fields<Name> extends Chosen
    ? Chosen
    : NoInfer<Chosen extends CheckedEntries<Name, Chosen> ? Chosen : CheckedEntries<Name, Chosen>>;

type CheckedEntries<Name extends CollectionName, Chosen> = {
  readonly [Index in keyof Chosen]: Schema[Name]['field'] extends Chosen[Index]
    ? Chosen[Index]
    : CheckedEntry<Name, Chosen[Index]>;
};

/** Checks a path; names without a dot are checked by `Field`. */
type CheckedEntry<Name extends CollectionName, Entry> = Entry extends `${string}.${string}`
  ? CheckedPath<Name, Entry, Entry>
  : Entry extends string
    ? Entry
    : {
        readonly [Key in keyof Entry]: Key extends RelationName<Name>
          ? CheckedEntries<Target<Name, Key>, Entry[Key]>
          : never;
      };

/** Follows a path from relation to relation; `Whole` is the complete path. */
type CheckedPath<
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
      : Path extends Schema[Name]['columnName'] | Schema[Name]['call']
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
