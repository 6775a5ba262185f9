/**
 * Parses the global query parameters, from a query string or a SEARCH body, to one tree. Values are stored
 * separately, so that requests which differ only in values have the same shape.
 */
import {
  collectProblems,
  invalidQuery,
  mapAll,
  throwProblems,
  type ApiError,
} from '../../contract/errors.js';
import { isObject } from '../../contract/objects.js';
import { parseFilter, type Filter } from './filter.js';
import type { ExportFormat } from '../../contract/export-formats.js';
import { readExport } from './export.js';
import { readFields } from './fields.js';
import { readAggregation, type Aggregation } from './aggregation.js';
import { maxLevels, readNames, readObject, splitPath, tooDeep } from './names.js';
import { parseQueryString } from './query-string.js';
import { readTimeZone } from './timezone.js';

/** The parameters of one level. A slot is the index of a value in `ParsedQuery.values`. */
export interface Query {
  /** `null` where the parameter is absent. */
  readonly fields: readonly FieldNode[] | null;
  readonly filter: Filter | null;
  readonly sort: readonly SortKey[] | null;
  /** Slot of an integer; `all` for -1. */
  readonly limit: number | 'all' | null;
  /** Slots of integers. */
  readonly offset: number | null;
  readonly page: number | null;
  /** Slot of a text. */
  readonly search: number | null;
  readonly meta: readonly MetaKey[];
  /** True where the answer has a cursor that leads to the next page. */
  readonly cursor: boolean;
  /** Slot of the cursor of the previous page. */
  readonly after: number | null;
  /** Other names for fields, lists and calls of functions: the name in the response, and what it stands for. */
  readonly alias: readonly (readonly [string, string])[];
  /** IANA name of the zone in which functions read timestamps; `null` for UTC. Only at the first level. */
  readonly timezone: string | null;
  /** Present where `*` does not lead back over the relation by which a level was reached. Only at the first level. */
  readonly backlink?: false;
  /** The format of a download; null: the answer is JSON with an envelope. */
  readonly exportAs: ExportFormat | null;
  /** `null`: the query returns items. */
  readonly aggregation: Aggregation | null;
  /** Parameters of nested lists. */
  readonly deep: readonly { readonly relation: string; readonly query: Query }[];
}

export type MetaKey = 'total_count' | 'filter_count';

/** One name of `fields`, which may be `*`. Without children, the field itself. */
export interface FieldNode {
  readonly name: string;
  readonly children: readonly FieldNode[];
  /** The key in the response, where it differs from the name. */
  readonly as?: string;
  /** Parameters of this relation alone; then only the children are selected, even where there are none. */
  readonly query?: Query;
  /** True where an integer is written as text. */
  readonly text?: true;
  /** True where the children form an object of the same row, without a relation. */
  readonly isGroup?: true;
  /** JSON that is written as it is; the name is ignored. */
  readonly constant?: string;
  /** The selection in each target of a many-to-any relation. */
  readonly targets?: readonly AnySelection[];
}

/** The selection in one target of a many-to-any relation. */
export interface AnySelection {
  readonly collection: string;
  /** `null`: the bare key. */
  readonly children: readonly FieldNode[] | null;
  /** Parameters of this target alone. */
  readonly query?: Query;
}

/** One name of `sort`. */
export interface SortKey {
  readonly path: readonly string[];
  readonly descending: boolean;
}

/** A query and its values, which are stored separately. */
export interface ParsedQuery {
  readonly query: Query;
  /** Equal for requests that differ only in values. */
  readonly shape: string;
  readonly values: readonly unknown[];
}

/** A parameter object; `prefix` is the underscore of keys in `deep`. */
interface Source {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly prefix: '' | '_';
}

const unsupported = ['version'];

/** The parameters of a list on every level; `fields` and `deep` are those of the first one. */
export const levelParameters = 'filter search sort limit offset page alias aggregate groupBy having'.split(
  ' ',
);

/** The parameters of a nested list or item. */
const nestedParameters: ReadonlySet<string> = new Set(levelParameters.map((name) => `_${name}`));

/** Parses a query string. @throws INVALID_QUERY naming the parameter and the expected form */
export const parseQuery = (text: string): ParsedQuery => readQuery(parseQueryString(text));

/** Reads the parameters from an object, as in `{query: {...}}` of a SEARCH body. */
export const readQuery = (parameters: Readonly<Record<string, unknown>>): ParsedQuery => {
  const values: unknown[] = [];
  const query = readParameters({ parameters, prefix: '' }, values);
  return { query, shape: JSON.stringify(query), values };
};

/**
 * Reads the parameters of one level from an object and appends their values to `values`. @throws
 * INVALID_QUERY
 */
export const readLevel = (parameters: Readonly<Record<string, unknown>>, values: unknown[]): Query =>
  readParameters({ parameters, prefix: '' }, values);

const readParameters = (source: Source, values: unknown[], level = 0): Query => {
  if (level > maxLevels) throw tooDeep('deep');
  const get = (name: string): unknown => source.parameters[source.prefix + name];
  for (const name of unsupported) {
    if (get(name) !== undefined) throw invalidQuery(`"${source.prefix}${name}" is not served`);
  }
  const problems: ApiError[] = [];
  const read = <Value>(parse: () => Value): Value | null => collectProblems(problems, parse);
  const { meta, cursor } = read(() => readMeta(get('meta'))) ?? noMeta;
  const query: Query = {
    fields: read(() => readFields(get('fields'))),
    filter: read(() => readFilter(get('filter'), values)),
    sort: read(() => readSort(get('sort'))),
    limit: read(() => readLimit(get('limit'), values)),
    offset: read(() => readCount(get('offset'), 'offset', values)),
    page: read(() => readCount(get('page'), 'page', values)),
    search: read(() => readText(get('search'), 'search', values)),
    meta,
    cursor,
    after: read(() => readText(get('after'), 'after', values)),
    alias: read(() => readAlias(get('alias'))) ?? [],
    timezone: read(() => readTimeZone(get('timezone'))),
    aggregation: read(() => readAggregation(get, values)),
    exportAs: read(() => readExport(get('export'))),
    deep:
      read(() => readDeep(source.prefix === '' ? get('deep') : source.parameters, values, level + 1)) ?? [],
  };
  const backlink = read(() => readBacklink(get('backlink')));
  throwProblems(problems);
  return backlink === true ? query : { ...query, backlink: false };
};

const readFilter = (value: unknown, values: unknown[]): Filter | null => {
  if (value === undefined || value === null || value === '') return null;
  return parseFilter(readObject(value, 'filter'), values);
};

const readSort = (value: unknown): readonly SortKey[] | null => {
  const names = readNames(value, 'sort');
  if (names === null || names.length === 0) return null;
  const keys = new Map<string, SortKey>();
  for (const text of names) {
    const descending = text.startsWith('-');
    const name = descending ? text.slice(1) : text;
    // sorting by the same name again has no effect
    if (!keys.has(name)) keys.set(name, { path: splitPath(name, 'sort'), descending });
  }
  return [...keys.values()];
};

const readLimit = (value: unknown, values: unknown[]): Query['limit'] =>
  value === -1 || value === '-1' ? 'all' : readCount(value, 'limit', values);

const readCount = (value: unknown, name: string, values: unknown[]): number | null => {
  if (value === undefined || value === null || value === '') return null;
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) {
    throw invalidQuery(
      `"${name}" must be a whole number from 0 up${name === 'limit' ? ', or -1 for all' : ''}`,
    );
  }
  return values.push(number) - 1;
};

const readText = (value: unknown, name: string, values: unknown[]): number | null => {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string' && typeof value !== 'number') throw invalidQuery(`"${name}" must be a text`);
  return values.push(String(value)) - 1;
};

/** Reads the counts, and whether a cursor is requested; `*` stands for the counts. */
const readMeta = (value: unknown): Pick<Query, 'meta' | 'cursor'> => {
  if (value === undefined) return noMeta;
  const names = new Set(readNames(value, 'meta') ?? []);
  mapAll(names, (name) => {
    if (metaNames.has(name)) return;
    throw invalidQuery(`"meta" does not support "${name}"; it supports ${[...metaNames].join(', ')}`);
  });
  return {
    meta: (['total_count', 'filter_count'] as const).filter((key) => names.has(key) || names.has('*')),
    cursor: names.has('cursor'),
  };
};

const noMeta: Pick<Query, 'meta' | 'cursor'> = { meta: [], cursor: false };

const metaNames: ReadonlySet<string> = new Set(['total_count', 'filter_count', 'cursor', '*']);

/** Reads `backlink`; true where it is absent. @throws INVALID_QUERY */
const readBacklink = (value: unknown): boolean => {
  if (value === false || value === 'false') return false;
  if (value === undefined || value === null || value === '' || value === true || value === 'true')
    return true;
  throw invalidQuery('"backlink" must be true or false');
};

/** Reads `{new: name}`. @throws INVALID_QUERY */
const readAlias = (value: unknown): Query['alias'] => {
  if (value === undefined || value === null || value === '') return [];
  return Object.entries(readObject(value, 'alias')).map(([name, target]) => {
    if (
      name === '' ||
      name.includes('.') ||
      typeof target !== 'string' ||
      splitPath(target, 'alias').length > 1
    )
      throw invalidQuery(
        '"alias" must map new names without a point to fields of this level, as in {"born": "year(date_of_birth)"}',
      );
    return [name, target];
  });
};

/**
 * Reads `deep`: keys without an underscore are relations, others are parameters of the level, of which the first has
 * none. Relations without an object of parameters are ignored, as clients expect. @throws INVALID_QUERY
 */
const readDeep = (value: unknown, values: unknown[], level: number): Query['deep'] => {
  if (value === undefined || value === null || value === '') return [];
  return mapAll(Object.entries(readObject(value, 'deep')), ([name, parameters]) => {
    if (level > 1 && nestedParameters.has(name)) return [];
    if (name.startsWith('_')) throw unknownParameter(name, level);
    if (!isObject(parameters)) return [];
    return [{ relation: name, query: readParameters({ parameters, prefix: '_' }, values, level) }];
  }).flat();
};

const unknownParameter = (name: string, level: number): ApiError =>
  invalidQuery(
    level === 1
      ? `"deep" has parameters below a relation, as in {"tracks": {"_limit": 5}}, not "${name}"`
      : `"deep" does not support "${name}"; it supports ${[...nestedParameters].join(', ')}`,
  );
