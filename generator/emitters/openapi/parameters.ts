/** Describes the global query parameters. */
import type { ParameterObject, ReferenceObject, SchemaObject } from 'openapi3-ts/oas31';
import { ref } from './refs.js';

const names: SchemaObject = { type: 'array', items: { type: 'string' } };
const count: SchemaObject = { type: 'integer', minimum: 0 };
const limit: SchemaObject = { type: 'integer', minimum: -1, default: 100 };

const about = {
  fields:
    'Fields to return: names, paths through relations (`artist.name`), and `*` for all fields of a level. The default is `*`, with relations as keys.',
  search: 'Text to search for in the text fields.',
  sort: 'Fields to sort by, in this order; the prefix `-` sorts in descending order. Paths through many-to-one relations are allowed.',
  limit: 'Maximum number of items; `-1` for all.',
  offset: 'Number of items to skip.',
  page: 'Page number from 1; a page has `limit` items.',
  deep: 'Parameters of nested lists, by relation: `{"tracks": {"_limit": 5, "_sort": "-name"}}`.',
  after: 'Cursor of the previous page, from `meta=cursor`: returns the items after it, in the same `sort`.',
  meta: 'What to return with the items: counts, and the cursor of the next page.',
  alias:
    'Other names for fields, lists and calls of functions: `{"born": "year(date_of_birth)"}`; `fields` and `deep` then use them.',
  aggregate:
    'Operations on fields instead of items: `{"count": "*", "sum": ["price"]}`. Operations are count, countDistinct, countAll, sum, sumDistinct, avg, avgDistinct, min and max.',
  groupBy:
    'Fields, calls of functions and paths by which items are grouped; the result has a row for each group.',
  having: 'Filter of the groups, with the keys of the result: `{"count": {"_gt": 5}}`.',
  timezone: 'IANA name of the time zone in which functions such as `year(created)` read timestamps.',
};

const properties = {
  fields: { description: about.fields, ...names },
  search: { description: about.search, type: 'string' },
  sort: { description: about.sort, ...names },
  limit: { description: about.limit, ...limit },
  offset: { description: about.offset, ...count },
  page: { description: about.page, ...count },
  after: { description: about.after, type: 'string' },
  deep: { description: about.deep, type: 'object', additionalProperties: ref('schemas', 'NestedQuery') },
  meta: {
    description: about.meta,
    type: 'array',
    items: { type: 'string', enum: ['*', 'cursor', 'filter_count', 'total_count'] },
  },
  alias: { description: about.alias, type: 'object', additionalProperties: { type: 'string' } },
  timezone: { description: about.timezone, type: 'string', default: 'UTC' },
  aggregate: { description: about.aggregate, type: 'object', additionalProperties: names },
  groupBy: { description: about.groupBy, ...names },
  having: { description: about.having, type: 'object' },
} satisfies Record<string, SchemaObject>;

const { search, sort, offset, page } = properties;

/** Parameters of the query of updates and deletes, beside `filter`. */
export const writeParameters: Readonly<Record<string, SchemaObject>> = {
  search,
  sort,
  limit: { type: 'integer', minimum: -1, description: 'How many items at most; `-1` means all of them.' },
  offset,
  page,
};

export const querySchemas: Readonly<Record<string, SchemaObject>> = {
  GlobalQuery: { type: 'object', properties },
  NestedQuery: {
    type: 'object',
    description: 'Parameters of one nested list; keys without an underscore are relations at the next level.',
    properties: {
      _filter: { type: 'object', description: 'Filter of the related collection.' },
      _search: { type: 'string' },
      _sort: names,
      _limit: limit,
      _offset: count,
      _page: count,
    },
    additionalProperties: ref('schemas', 'NestedQuery'),
  },
  ListMeta: {
    type: 'object',
    properties: {
      total_count: { ...count, description: 'Number of items that the caller may read.' },
      filter_count: { ...count, description: 'Number of these items that match filter and search.' },
      cursor: { type: ['string', 'null'], description: 'Leads to the next page; null on the last one.' },
    },
  },
};

const listParameter = (name: 'fields' | 'sort' | 'meta' | 'groupBy'): ParameterObject => {
  const { description, ...schema } = properties[name];
  return { name, in: 'query', description, style: 'form', explode: false, schema };
};

const valueParameter = (
  name: 'search' | 'limit' | 'offset' | 'page' | 'after' | 'timezone',
): ParameterObject => {
  const { description, ...schema } = properties[name];
  return { name, in: 'query', description, schema };
};

const brackets = 'As JSON, or with brackets';

interface JsonParameter {
  readonly description: string;
  readonly schema: SchemaObject | ReferenceObject;
}

/**
 * Describes a parameter sent as JSON. The empty example keeps documentation pages from sending every operator
 * at once.
 */
const jsonParameter = (name: string, { description, schema }: JsonParameter): ParameterObject => ({
  name,
  in: 'query',
  description,
  content: { 'application/json': { schema, example: {} } },
});

export const queryParameters: Readonly<Record<string, ParameterObject>> = {
  fields: listParameter('fields'),
  search: valueParameter('search'),
  sort: listParameter('sort'),
  limit: valueParameter('limit'),
  offset: valueParameter('offset'),
  page: valueParameter('page'),
  after: valueParameter('after'),
  deep: jsonParameter('deep', {
    description: `${about.deep} ${brackets}: \`deep[tracks][_limit]=5\`.`,
    schema: { type: 'object', additionalProperties: ref('schemas', 'NestedQuery') },
  }),
  meta: listParameter('meta'),
  alias: jsonParameter('alias', {
    description: `${about.alias} ${brackets}: \`alias[born]=year(date_of_birth)\`.`,
    schema: { type: 'object', additionalProperties: { type: 'string' } },
  }),
  timezone: valueParameter('timezone'),
  aggregate: jsonParameter('aggregate', {
    description: `${about.aggregate} ${brackets}: \`aggregate[sum]=price\`.`,
    schema: { type: 'object', additionalProperties: names },
  }),
  groupBy: listParameter('groupBy'),
  having: jsonParameter('having', {
    description: `${about.having} ${brackets}: \`having[count][_gt]=5\`.`,
    schema: { type: 'object' },
  }),
};

const listParameterNames = [
  'search',
  'sort',
  'limit',
  'offset',
  'page',
  'after',
  'deep',
  'meta',
  'alias',
  'timezone',
  'aggregate',
  'groupBy',
  'having',
] as const;

/** Returns the parameters of a list, with the filter of its collection. */
export const listParameters = (stem: string): (ParameterObject | ReferenceObject)[] => [
  ref('parameters', 'fields'),
  jsonParameter('filter', {
    description: `Selects items. ${brackets}: \`filter[name][_eq]=value\`.`,
    schema: ref('schemas', `${stem}Filter`),
  }),
  ...listParameterNames.map((name) => ref('parameters', name)),
];

/** Parameters of one item, and of the response to a write. */
export const itemParameters: ReferenceObject[] = ['fields', 'deep', 'alias', 'timezone'].map((name) =>
  ref('parameters', name),
);
