/** Defines the fields that call functions, such as `acquired_func { year }` and `themes_func { count }`. */
import { fieldTypes } from '../../../contract/field-types.js';
import { functionsOf, type FunctionName } from '../../../contract/functions.js';
import type { Collection, Field } from '../../model/types.js';
import type { Definition, FieldDefinition } from '../../print/graphql.js';
import { linksOf, type Context } from './context.js';
import { createNameAllocator } from './names.js';

/** The argument of a function: a field, or a list. */
interface Argument {
  readonly name: string;
  readonly graphql: string;
  readonly stem: string;
  /** The collection of a list. */
  readonly target: string | null;
}

/** Returns the fields of a collection that call functions. */
export const functionFields = (
  collection: Collection,
  context: Context,
  usage: 'items' | 'aggregations' | 'filters',
): readonly FieldDefinition[] => {
  const allocate = createNameAllocator(
    [...collection.fields, ...collection.relations].map(({ graphql }) => graphql),
  );
  return argumentsOf(collection, context).map(({ name, graphql, stem, target }) => ({
    name: allocate(`${graphql}_func`),
    // paths are no names of fields, so filters have `_json` instead, and aggregations count only
    type: `${stem === 'json' && usage !== 'items' ? 'count' : stem}${usage === 'filters' ? '_function_filter_operators' : '_functions'}`,
    directives: { call: name, ...(target !== null && { collection: target }) },
  }));
};

const argumentsOf = (collection: Collection, context: Context): readonly Argument[] => [
  ...collection.fields.flatMap((field): Argument[] => {
    const stem = stemOf(field);
    return stem === null ? [] : [{ ...field, stem, target: null }];
  }),
  ...linksOf(collection, context).flatMap(({ relation, target }): Argument[] =>
    relation.kind === 'oneToMany' ? [{ ...relation, stem: 'count', target: target.name }] : [],
  ),
];

/** Returns the stem of the types that fields with the same functions share; null for a field without functions. */
const stemOf = ({ type, conceal, hash }: Field): string | null => {
  const { hasDay, hasClock } = fieldTypes[type];
  if (conceal || hash) return null;
  if (hasDay === true) return hasClock === true ? 'datetime' : 'date';
  if (hasClock === true) return 'time';
  return type === 'json' ? 'json' : null;
};

const typesWithStem = new Map<string, readonly FunctionName[]>([
  ['date', functionsOf('date')],
  ['time', functionsOf('time')],
  ['datetime', functionsOf('dateTime')],
  ['json', functionsOf('json')],
  ['count', ['count']],
]);

const fieldOf = (name: FunctionName): FieldDefinition =>
  name === 'json'
    ? { name, type: 'JSON', arguments: [{ name: 'path', type: 'String!' }] }
    : { name, type: 'Int' };

const definitionsOf = ([stem, names]: readonly [string, readonly FunctionName[]]): readonly Definition[] => [
  { kind: 'type', name: `${stem}_functions`, fields: names.map(fieldOf) },
  ...(stem === 'json'
    ? []
    : [
        {
          kind: 'input',
          name: `${stem}_function_filter_operators`,
          fields: names.map((name) => ({ name, type: 'number_filter_operators' })),
        } as const,
      ]),
];

/** Types of results and filters of functions, which all schemas share. */
export const functionDefinitions: readonly Definition[] = [...typesWithStem].flatMap(definitionsOf);
