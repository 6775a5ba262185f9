/** Types of `alias`: other names for fields, functions and relations, which `fields` and `deep` of reads then know. */
import type { AnyName } from './any.js';
import type {
  CheckedBelow,
  CheckedEntries,
  CheckedEntry,
  CheckedPath,
  Fields,
  RelationName,
  Target,
} from './fields.js';
import type { ResultKey } from './functions.js';
import type { CollectionName } from './names.js';
import type { Deep, DeepOf } from './queries.js';
import type { Schema } from './schema.js';

/** New names, and what they stand for. */
export interface Aliases<Name extends CollectionName> {
  readonly [alias: string]:
    | Schema[Name]['columnName']
    | Schema[Name]['call']
    | Exclude<RelationName<Name>, `${AnyName<Name>}:${string}`>;
}

/** No other names. */
export type NoAliases = Record<never, never>;

/** The aliases themselves; an error message replaces each that is a name already. */
export type CheckedAliases<Name extends CollectionName, Other> =
  Other extends NewNames<Name, Other> ? Other : NoInfer<NewNames<Name, Other>>;

type NewNames<Name extends CollectionName, Other> = {
  readonly [Alias in keyof Other]: Alias extends
    | Schema[Name]['columnName']
    | RelationName<Name>
    | ResultKey<Schema[Name]['call']>
    ? `${Alias} is a field of ${Name} already`
    : Alias extends `${string}.${string}`
      ? `${Alias} has a point`
      : Other[Alias];
};

/** Aliases of relations. */
type RelationAlias<Name extends CollectionName, Other> = {
  [Alias in keyof Other]: Other[Alias] extends RelationName<Name> ? Alias : never;
}[keyof Other] &
  string;

/** The collection of a relation that an alias stands for. */
type AliasTarget<Name extends CollectionName, Relation> =
  Relation extends RelationName<Name> ? Target<Name, Relation> : never;

/** Names, paths and objects that begin with an alias. */
export type AliasField<Name extends CollectionName, Other> = [keyof Other] extends [never]
  ? never
  :
      | (keyof Other & string)
      | `${RelationAlias<Name, Other>}.${string}`
      | { readonly [Alias in RelationAlias<Name, Other>]?: Fields<AliasTarget<Name, Other[Alias]>> };

/** Checks each entry as `CheckedEntries` does, with aliases replaced by what they stand for. */
export type CheckedAliased<Name extends CollectionName, Chosen, Other> = {
  readonly [Index in keyof Chosen]: Chosen[Index] extends `${infer Head}.${infer Rest}`
    ? Head extends keyof Other
      ? CheckedPath<AliasTarget<Name, Other[Head]>, Rest, Chosen[Index]>
      : CheckedEntry<Name, Chosen[Index]>
    : Chosen[Index] extends string
      ? Chosen[Index]
      : CheckedObject<Name, Chosen[Index], Other>;
};

type CheckedObject<Name extends CollectionName, Entry, Other> = {
  readonly [Key in keyof Entry]: Key extends keyof Other
    ? Entry[Key] extends Fields<AliasTarget<Name, Other[Key]>>
      ? CheckedEntries<AliasTarget<Name, Other[Key]>, Entry[Key]>
      : Fields<AliasTarget<Name, Other[Key]>>
    : CheckedBelow<Name, Key, Entry[Key]>;
};

/** Parameters of nested lists, by relation or by its alias. */
export type AliasedDeep<Name extends CollectionName, Other> = [keyof Other] extends [never]
  ? Schema[Name]['deep']
  : Deep<Name> & {
      [Alias in RelationAlias<Name, Other>]?: Other[Alias] extends RelationName<Name>
        ? DeepOf<Name, Other[Alias]>
        : never;
    };
