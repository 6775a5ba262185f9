/** Types of `sort`: field names, with the prefix `-` for descending order and paths over to-one relations. */
import type { ColumnName, NotThere, OneName, Target } from './fields.js';
import type { Call } from './functions.js';
import type { CollectionName } from './names.js';
import type { Schema } from './schema.js';

type Sign = '' | '-';

/** A key over any number of relations; `CheckedSort` checks the segments after the first dot. */
export type SortKey<Name extends CollectionName> =
  | `${Sign}${ColumnName<Name>}`
  | `${Sign}${Call<Name>}`
  | `${Sign}${OneName<Name>}.${string}`;

/** A key over one relation at most, for places without further checks. */
export type NearSortKey<Name extends CollectionName> =
  | `${Sign}${ColumnName<Name>}`
  | `${Sign}${Call<Name>}`
  | { [Key in OneName<Name>]: `${Sign}${Key}.${ColumnName<Target<Name, Key>>}` }[OneName<Name>];

/** The keys themselves if every path exists; otherwise an error message replaces each path that does not. */
export type CheckedSort<Name extends CollectionName, Keys> = readonly Schema[Name]['sortKey'][] extends Keys
  ? Keys
  : NoInfer<Keys extends CheckedKeys<Name, Keys> ? Keys : CheckedKeys<Name, Keys>>;

type CheckedKeys<Name extends CollectionName, Keys> = {
  readonly [Index in keyof Keys]: Schema[Name]['sortKey'] extends Keys[Index]
    ? Keys[Index]
    : Keys[Index] extends Schema[Name]['columnName'] | Schema[Name]['call']
      ? Keys[Index]
      : Keys[Index] extends `-${infer Path}`
        ? CheckedKey<Name, Path, Keys[Index]>
        : CheckedKey<Name, Keys[Index], Keys[Index]>;
};

type CheckedKey<Name extends CollectionName, Path, Whole> = Path extends `${infer Head}.${infer Rest}`
  ? Head extends OneName<Name>
    ? CheckedKey<Target<Name, Head>, Rest, Whole>
    : Path extends Schema[Name]['columnName'] | Schema[Name]['call']
      ? Whole
      : NotThere<Name, Head, 'relation to one item'>
  : Path extends Schema[Name]['columnName'] | Schema[Name]['call']
    ? Whole
    : NotThere<Name, Path & string, 'field'>;
