/** Types of functions in queries: `year(InvoiceDate)`, `count(InvoiceLine)`, `json(options, theme.color)`. */
import type { ManyName } from './fields.js';
import type { JsonScalar, Logic, NumberFilter, PathFilter } from './filters.js';
import type { CollectionName, Filter } from './names.js';
import type { Schema } from './schema.js';

/** Functions of dates. */
export type DateFunctions = 'year' | 'month' | 'week' | 'day' | 'weekday';

/** Functions of times. */
export type TimeFunctions = 'hour' | 'minute' | 'second';

/** Functions of JSON. */
export type JsonFunctions = 'count' | 'json';

type Functions<Name extends CollectionName> = Schema[Name]['functions'];

type CallOf<Name extends string, Field extends string> = Name extends 'json'
  ? `json(${Field}, ${string})`
  : `${Name}(${Field})`;

/** Functions with the fields that they apply to, and counts of lists. */
export type Call<Name extends CollectionName> =
  | {
      [Field in keyof Functions<Name> & string]: CallOf<Functions<Name>[Field] & string, Field>;
    }[keyof Functions<Name> & string]
  | `count(${ManyName<Name>})`;

/** Key of a function in answers: `year(InvoiceDate)` becomes `InvoiceDate_year`. Other names stay as they are. */
export type ResultKey<Name extends string> = Name extends `json(${infer Field}, ${infer Path})`
  ? `${Field}_${Steps<Path>}_json`
  : Name extends `${infer Function}(${infer Field})`
    ? `${Field}_${Function}`
    : Name;

/** The steps of a path of JSON, joined: `theme.colors[0]` becomes `theme_colors_0`. */
type Steps<Path extends string> = Path extends `[${infer Rest}`
  ? Steps<Rest>
  : Replaced<Replaced<Replaced<Path, ']', ''>, '[', '_'>, '.', '_'>;

type Replaced<
  Text extends string,
  Old extends string,
  New extends string,
> = Text extends `${infer Before}${Old}${infer After}` ? `${Before}${New}${Replaced<After, Old, New>}` : Text;

/** Value of a function: any JSON, the length of a list, or a number of a field that may be null. */
export type CallValue<Name extends CollectionName, Text> = Text extends `json(${string}`
  ? unknown
  : Text extends `count(${infer Field})`
    ? Field extends ManyName<Name>
      ? number
      : number | null
    : number | null;

/** Members of a filter beside fields: logic and functions. */
export type Conditions<Name extends CollectionName> = Logic<Filter<Name>> & CallFilters<Name>;

type CallFilters<Name extends CollectionName> = {
  [Text in Call<Name>]?: Text extends `json(${string}`
    ? PathFilter | JsonScalar | null
    : NumberFilter | number;
};
