/**
 * The global query parameters, from a query string or a SEARCH body, as one tree.
 * Values are kept apart from the tree: two requests that differ only in values have the same shape.
 */
import { LRUCache } from 'lru-cache';
import { invalidQuery } from '../../contract/errors.js';
import { isObject } from '../../contract/objects.js';
import { parseFilter, type Filter } from './filter.js';
import { asList, parseQueryString } from './query-string.js';

export interface Query {
  /** `null`: not given. */
  readonly fields: readonly FieldNode[] | null;
  readonly filter: Filter | null;
  readonly sort: readonly SortKey[] | null;
  /** Slot of a whole number; `all` for -1. */
  readonly limit: number | 'all' | null;
  /** Slots of whole numbers. */
  readonly offset: number | null;
  readonly page: number | null;
  /** Slot of a text. */
  readonly search: number | null;
  readonly meta: readonly MetaKey[];
  /** Parameters of nested lists. */
  readonly deep: readonly { readonly relation: string; readonly query: Query }[];
}

export type MetaKey = 'total_count' | 'filter_count';

/** One name of `fields`; `*` is a name. Without children, the plain field. */
export interface FieldNode {
  readonly name: string;
  readonly children: readonly FieldNode[];
  /** Its key in the answer, where that is not the name. */
  readonly as?: string;
  /** Of a relation: parameters of this entry alone, and the children are all that is asked for, even where there are none. */
  readonly query?: Query;
  /** A whole number is written as text. */
  readonly text?: true;
  /** JSON that stands in the answer as it is; the name says nothing then. */
  readonly constant?: string;
}

export interface SortKey {
  readonly path: readonly string[];
  readonly descending: boolean;
}

export interface ParsedQuery {
  readonly query: Query;
  /** Equal for requests that differ only in values. */
  readonly shape: string;
  readonly values: readonly unknown[];
}

/** A parameter object, and whether its keys carry the underscore of `deep`. */
interface Source {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly prefix: '' | '_';
}

const notServed = ['aggregate', 'groupBy', 'alias', 'export', 'version'];

/** @throws INVALID_QUERY naming the parameter and what would be right */
export const parseQuery = (text: string): ParsedQuery => readQuery(parseQueryString(text));

/** Reads the parameters from an object, as in `{query: {...}}` of a SEARCH body. */
export const readQuery = (parameters: Readonly<Record<string, unknown>>): ParsedQuery => {
  const values: unknown[] = [];
  const query = readParameters({ parameters, prefix: '' }, values);
  return { query, shape: JSON.stringify(query), values };
};

/** The parameters of one level, from an object; pushes their values to `values`. @throws INVALID_QUERY */
export const readLevel = (parameters: Readonly<Record<string, unknown>>, values: unknown[]): Query =>
  readParameters({ parameters, prefix: '' }, values);

const readParameters = (source: Source, values: unknown[], level = 0): Query => {
  if (level > maxLevels) throw tooDeep('deep');
  const get = (name: string): unknown => source.parameters[source.prefix + name];
  for (const name of notServed) {
    if (get(name) !== undefined) throw invalidQuery(`"${source.prefix}${name}" is not served`);
  }
  return {
    fields: readFields(get('fields')),
    filter: readFilter(get('filter'), values),
    sort: readSort(get('sort')),
    limit: isAll(get('limit')) ? 'all' : readCount(get('limit'), { name: 'limit', least: 0, values }),
    offset: readCount(get('offset'), { name: 'offset', least: 0, values }),
    page: readCount(get('page'), { name: 'page', least: 0, values }),
    search: readSearch(get('search'), values),
    meta: readMeta(get('meta')),
    deep: readDeep(source.prefix === '' ? get('deep') : source.parameters, values, level + 1),
  };
};

/** By their text: clients ask for the same fields again and again. */
const known = new LRUCache<string, readonly FieldNode[]>({ max: 500 });
const longestKnown = 2000;

const readFields = (value: unknown): readonly FieldNode[] | null => {
  if (typeof value !== 'string' || value.length > longestKnown) return parseFields(value);
  const present = known.get(value);
  if (present !== undefined) return present;
  const fields = parseFields(value);
  if (fields !== null) known.set(value, fields);
  return fields;
};

const parseFields = (value: unknown): readonly FieldNode[] | null => {
  const names = readNames(value, 'fields');
  if (names === null || names.length === 0) return null;
  const root: Branch = { isEnd: false, below: new Map() };
  for (const name of names) insert(root, splitPath(name, 'fields'));
  return toNodes(root);
};

interface Branch {
  /** A path ends here, whatever there is below. */
  isEnd: boolean;
  readonly below: Map<string, Branch>;
}

const insert = (root: Branch, path: readonly string[]): void => {
  let branch = root;
  for (const name of path) {
    const next: Branch = branch.below.get(name) ?? { isEnd: false, below: new Map() };
    branch.below.set(name, next);
    branch = next;
  }
  branch.isEnd = true;
};

/** `a.b` may be a column, and `a.b.c` another: each is a node. */
const toNodes = ({ below }: Branch): FieldNode[] =>
  [...below].flatMap(([name, branch]) => {
    const leaf = { name, children: [] };
    const inner = { name, children: toNodes(branch) };
    if (inner.children.length === 0) return [leaf];
    return branch.isEnd ? [leaf, inner] : [inner];
  });

/** More relations than any limit lets a name cross. */
const maxLevels = 64;

const splitPath = (name: string, parameter: string): readonly string[] => {
  const path = name.split('.', maxLevels + 1);
  if (path.length > maxLevels) throw tooDeep(parameter);
  return path;
};

const tooDeep = (parameter: string): Error =>
  invalidQuery(`"${parameter}" is nested deeper than ${maxLevels} levels`);

/** A comma-separated text or a list of texts. */
const readNames = (value: unknown, parameter: string): string[] | null => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return splitNames(value);
  const list = asList(value);
  if (list === null || !list.every((entry) => typeof entry === 'string')) {
    throw invalidQuery(`"${parameter}" must be names separated by commas, or a list of names`);
  }
  return list.flatMap(splitNames);
};

/** At commas and without blanks around, but for those of names: `\\,` and `\\ `. */
const splitNames = (text: string): string[] =>
  (text.includes('\\') ? splitEscaped(text) : text.split(',').map((name) => name.trim())).filter(
    (name) => name !== '',
  );

const splitEscaped = (text: string): string[] =>
  (text.match(/(?:\\[,\\]|[^,])+/g) ?? []).map((name) => trimEscaped(name).replaceAll(/\\([,\\\s])/g, '$1'));

/** Where an odd number of backslashes is left at the end, the last is that of a blank. */
const trimEscaped = (name: string): string => {
  const text = name.trimStart();
  const cut = text.trimEnd();
  return /(?<!\\)(?:\\\\)*\\$/.test(cut) ? text.slice(0, cut.length + 1) : cut;
};

const readFilter = (value: unknown, values: unknown[]): Filter | null => {
  if (value === undefined || value === null || value === '') return null;
  return parseFilter(readObject(value, 'filter'), values);
};

/** An object, or its JSON text. */
const readObject = (value: unknown, parameter: string): Readonly<Record<string, unknown>> => {
  const parsed = typeof value === 'string' ? parseJson(value, parameter) : value;
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw invalidQuery(`"${parameter}" must be an object, as JSON or in brackets`);
  }
  return parsed as Record<string, unknown>;
};

const parseJson = (text: string, parameter: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidQuery(`"${parameter}" is not valid JSON`);
  }
};

const readSort = (value: unknown): readonly SortKey[] | null => {
  const names = readNames(value, 'sort');
  if (names === null || names.length === 0) return null;
  const keys = new Map<string, SortKey>();
  for (const text of names) {
    const descending = text.startsWith('-');
    const name = descending ? text.slice(1) : text;
    // sorting by a name once more changes nothing
    if (!keys.has(name)) keys.set(name, { path: splitPath(name, 'sort'), descending });
  }
  return [...keys.values()];
};

const isAll = (value: unknown): boolean => value === -1 || value === '-1';

interface CountOptions {
  readonly name: string;
  readonly least: number;
  readonly values: unknown[];
}

const readCount = (value: unknown, { name, least, values }: CountOptions): number | null => {
  if (value === undefined || value === null || value === '') return null;
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < least) {
    throw invalidQuery(
      `"${name}" must be a whole number from ${least} up${name === 'limit' ? ', or -1 for all' : ''}`,
    );
  }
  return values.push(number) - 1;
};

const readSearch = (value: unknown, values: unknown[]): number | null => {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string' && typeof value !== 'number') throw invalidQuery('"search" must be a text');
  return values.push(String(value)) - 1;
};

const readMeta = (value: unknown): readonly MetaKey[] => {
  const names = new Set(readNames(value, 'meta') ?? []);
  for (const name of names) {
    if (name !== '*' && name !== 'total_count' && name !== 'filter_count') {
      throw invalidQuery(`"meta" knows total_count, filter_count and *, not "${name}"`);
    }
  }
  return (['total_count', 'filter_count'] as const).filter((key) => names.has(key) || names.has('*'));
};

/** Keys without underscore are relations, keys with one are parameters of the level. */
const readDeep = (value: unknown, values: unknown[], level: number): Query['deep'] => {
  if (value === undefined || value === null || value === '') return [];
  return Object.entries(readObject(value, 'deep'))
    .filter(([name]) => !name.startsWith('_'))
    .flatMap(([relation, parameters]) =>
      isObject(parameters)
        ? [{ relation, query: readParameters({ parameters, prefix: '_' }, values, level) }]
        : [],
    );
};
