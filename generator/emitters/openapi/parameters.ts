/** Describes the global query parameters. */
import type { ParameterObject, ReferenceObject, SchemaObject } from 'openapi3-ts/oas31';
import { exportFormats } from '../../../contract/export-formats.js';
import { jsonText } from './bodies.js';
import { parameterRef, ref } from './refs.js';

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
  backlink:
    'Whether `*` leads back over the relation by which a level was reached; with `false`, such a relation is a key.',
  aggregate:
    'Operations on fields instead of items: `{"count": "*", "sum": ["price"]}`. Operations are count, countDistinct, countAll, sum, sumDistinct, avg, avgDistinct, min and max.',
  groupBy:
    'Fields, calls of functions and paths by which items are grouped; the result has a row for each group.',
  export:
    'Returns a file instead: the items without an envelope. Lists are streamed, whatever their length. The value `json` is left out of the schema, because its content has the media type of other reads and another schema.',
  if_none_match:
    'An `ETag` of an earlier response: if the item is still the same, the response is 304 without a body.',
  having: 'Filter of the groups, with the keys of the result: `{"count": {"_gt": 5}}`.',
  dry_run: 'Whether the write is only tried: nothing is stored, and the answer is what would have been.',
  on_conflict:
    'What happens to items that are stored already: `update` changes them, `ignore` leaves them. `meta.outcomes` says for each item of the body which it was. Without it, such an item is an error.',
  conflict:
    'Fields of the unique constraint by which stored items are found, or its name; the key by default.',
  if_match: 'Writes only if the item still has this `ETag`.',
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
  deep: ref('schemas', 'QueryDeep'),
  meta: {
    description: about.meta,
    type: 'array',
    items: { type: 'string', enum: ['*', 'cursor', 'filter_count', 'total_count'] },
  },
  alias: ref('schemas', 'QueryAlias'),
  timezone: { description: about.timezone, type: 'string', default: 'UTC' },
  backlink: { description: about.backlink, type: 'boolean', default: true },
  export: {
    description: about.export,
    type: 'string',
    enum: exportFormats.filter((format) => format !== 'json'),
  },
  aggregate: ref('schemas', 'QueryAggregate'),
  groupBy: { description: about.groupBy, ...names },
  having: ref('schemas', 'QueryHaving'),
} satisfies Record<string, SchemaObject | ReferenceObject>;

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
  // components, since generators of clients name objects inside an object that many extend once for each
  QueryDeep: {
    description: about.deep,
    type: 'object',
    additionalProperties: ref('schemas', 'NestedQuery'),
  },
  QueryAlias: { description: about.alias, type: 'object', additionalProperties: { type: 'string' } },
  QueryAggregate: { description: about.aggregate, type: 'object', additionalProperties: names },
  QueryHaving: { description: about.having, type: 'object' },
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
  WriteMeta: {
    type: 'object',
    properties: {
      outcomes: {
        type: 'array',
        items: { type: 'string', enum: ['created', 'updated', 'ignored'] },
        description: 'With `on_conflict`: what happened to each item of the body, in its order.',
      },
    },
  },
  ListMeta: {
    type: 'object',
    properties: {
      total_count: { ...count, description: 'Number of items that the caller may read.' },
      filter_count: { ...count, description: 'Number of items that match filter and search.' },
      cursor: { type: ['string', 'null'], description: 'Leads to the next page; null on the last one.' },
    },
  },
};

const listParameter = (name: 'fields' | 'sort' | 'meta' | 'groupBy'): ParameterObject => {
  const { description, ...schema } = properties[name];
  return { name, in: 'query', description, style: 'form', explode: false, schema };
};

const valueParameter = (
  name: 'search' | 'limit' | 'offset' | 'page' | 'after' | 'timezone' | 'export',
): ParameterObject => {
  const { description, ...schema } = properties[name];
  return { name, in: 'query', description, schema };
};

const brackets = 'As JSON, or with brackets';

interface JsonParameter {
  readonly description: string;
  readonly schema: SchemaObject | ReferenceObject;
}

/** Describes a parameter sent as JSON: as a text, since many generators of clients do not read `content` of parameters. */
const jsonParameter = (name: string, { description, schema }: JsonParameter): ParameterObject => ({
  name,
  in: 'query',
  description,
  schema: jsonText(schema),
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
    schema: ref('schemas', 'QueryDeep'),
  }),
  meta: listParameter('meta'),
  alias: jsonParameter('alias', {
    description: `${about.alias} ${brackets}: \`alias[born]=year(date_of_birth)\`.`,
    schema: ref('schemas', 'QueryAlias'),
  }),
  timezone: valueParameter('timezone'),
  export: valueParameter('export'),
  dry_run: { name: 'dry_run', in: 'query', description: about.dry_run, schema: { type: 'boolean' } },
  on_conflict: {
    name: 'on_conflict',
    in: 'query',
    description: about.on_conflict,
    schema: { type: 'string', enum: ['ignore', 'update'] },
  },
  conflict: {
    name: 'conflict',
    in: 'query',
    description: about.conflict,
    style: 'form',
    explode: false,
    schema: names,
  },
  if_match: { name: 'If-Match', in: 'header', description: about.if_match, schema: { type: 'string' } },
  if_none_match: {
    name: 'If-None-Match',
    in: 'header',
    description: about.if_none_match,
    schema: { type: 'string' },
  },
  aggregate: jsonParameter('aggregate', {
    description: `${about.aggregate} ${brackets}: \`aggregate[sum]=price\`.`,
    schema: ref('schemas', 'QueryAggregate'),
  }),
  groupBy: listParameter('groupBy'),
  having: jsonParameter('having', {
    description: `${about.having} ${brackets}: \`having[count][_gt]=5\`.`,
    schema: ref('schemas', 'QueryHaving'),
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
  'export',
] as const;

/** Returns the parameters of a list, with the filter of its collection. */
export const listParameters = (stem: string): (ParameterObject | ReferenceObject)[] => [
  parameterRef('fields'),
  jsonParameter('filter', {
    description: `Selects items. ${brackets}: \`filter[name][_eq]=value\`.`,
    schema: ref('schemas', `${stem}Filter`),
  }),
  ...listParameterNames.map(parameterRef),
];

const refs = (...names: string[]): ReferenceObject[] => names.map(parameterRef);

/** Parameters of a write that answers without a body. */
export const deleteParameters = refs('dry_run');

/** Parameters of a write and of the response to it. */
export const writtenParameters = refs('fields', 'deep', 'alias', 'timezone', 'dry_run');

/** Further parameters of a create. */
export const conflictParameters = refs('on_conflict', 'conflict');

/** Further parameters of a write of one item. */
export const matchParameters = refs('if_match');

/** Parameters of one item. */
export const itemParameters = refs('fields', 'deep', 'alias', 'timezone', 'export', 'if_none_match');
