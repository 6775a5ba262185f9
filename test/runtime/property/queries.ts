/** Queries as clients may send them: made at random, and written in each of the three ways. */
import * as fc from 'fast-check';
import qs from 'qs';
import type { Collection, ToMany, ToOne } from '../../../contract/collection.js';
import type { ApiRequest } from '../../../runtime/request/api-request.js';
import { filterOn, writeFilter, type FilterTree } from './filters.js';
import { uuidOf, words } from './values.js';

/** Parameters of one list; `undefined`: not sent. */
export interface ListQuery {
  readonly filter?: FilterTree | undefined;
  readonly sort?: readonly SortKey[] | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly page?: number | undefined;
  readonly search?: string | undefined;
  /** By relation: parameters of the lists below. */
  readonly deep?: Readonly<Record<string, ListQuery>> | undefined;
}

export interface SortKey {
  readonly path: readonly string[];
  readonly descending: boolean;
}

export interface ItemsQuery extends ListQuery {
  readonly fields?: readonly string[] | undefined;
  readonly meta?: boolean | undefined;
}

/** Sent that many times of ten. */
const often = <Value>(times: number, value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: times, arbitrary: value }, { weight: 10 - times, arbitrary: fc.constant(undefined) });

const sortPaths = (collection: Collection, depth: number): readonly (readonly string[])[] => {
  const own = [...collection.fields.values()]
    .filter(({ type, conceal }) => type !== 'json' && type !== 'binary' && conceal !== true)
    .map(({ name }) => [name]);
  if (depth === 0) return own;
  const related = [...collection.relations.values()].flatMap((relation) =>
    relation.kind === 'manyToOne'
      ? sortPaths(relation.collection, depth - 1).map((path) => [relation.name].concat(path))
      : [],
  );
  const anyRelated = [...collection.anyTargets.values()].flatMap((target) =>
    sortPaths(target.collection, depth - 1).map((path) => [target.name].concat(path)),
  );
  return [...own, ...related, ...anyRelated];
};

const search = fc.oneof(
  fc.constantFrom(...words),
  fc.constantFrom('5', '-3', '1.5', '100', '9007199254740993', uuidOf(1), 'zzz'),
);

/** Parameters of a list of this collection. */
export const listOf = (collection: Collection, depth: number): fc.Arbitrary<ListQuery> =>
  fc.record({
    filter: often(5, filterOn(collection, depth)),
    sort: often(
      4,
      fc.array(
        fc.record({ path: fc.constantFrom(...sortPaths(collection, depth)), descending: fc.boolean() }),
        { minLength: 1, maxLength: 3 },
      ),
    ),
    limit: often(5, fc.constantFrom(-1, -1, 0, 1, 2, 5, 100)),
    offset: often(2, fc.constantFrom(0, 1, 3, 50)),
    page: often(2, fc.constantFrom(0, 1, 2, 3)),
    search: often(2, search),
    deep: depth > 0 ? often(5, deepOf(collection, depth)) : fc.constant(undefined),
  });

const deepOf = (collection: Collection, depth: number): fc.Arbitrary<Readonly<Record<string, ListQuery>>> => {
  const relations = [...collection.relations.values()].flatMap((relation): readonly (ToOne | ToMany)[] =>
    relation.kind === 'manyToAny' ? relation.targets : [relation],
  );
  if (relations.length === 0) return fc.constant({});
  return fc
    .uniqueArray(
      fc
        .constantFrom(...relations)
        .chain((relation) =>
          listOf(relation.collection, depth - 1).map(
            (query) => [relation.name, isTarget(relation) ? onlyFilter(query) : query] as const,
          ),
        ),
      { selector: ([name]) => name, minLength: 1, maxLength: 2 },
    )
    .map((entries) => Object.fromEntries(entries));
};

const isTarget = (relation: ToOne | ToMany): boolean => 'anyOf' in relation;

/** One item is not sorted, searched or cut. */
const onlyFilter = ({ filter, deep }: ListQuery): ListQuery => ({ filter, deep });

/** Paths as in `fields`. */
const fieldOf = (collection: Collection, depth: number): fc.Arbitrary<string> => {
  const names = [...collection.fields.keys()];
  const plain = fc.constantFrom('*', ...names, ...names);
  if (depth === 0) return plain;
  const crossings = [...collection.relations.values()].flatMap((relation) =>
    relation.kind === 'manyToAny'
      ? relation.targets.map((target) =>
          fc.oneof(
            fieldOf(target.collection, depth - 1).map((path) => `${target.name}.${path}`),
            fc.constant(target.name),
          ),
        )
      : [
          fc.oneof(
            fieldOf(relation.collection, depth - 1).map((path) => `${relation.name}.${path}`),
            fc.constant(relation.kind === 'oneToMany' ? relation.name : `${relation.name}.*`),
          ),
        ],
  );
  return fc.oneof(
    { weight: 3, arbitrary: plain },
    { weight: 1, arbitrary: fc.constantFrom('*.*', '*.*.*') },
    { weight: 4, arbitrary: fc.oneof(...crossings) },
  );
};

export const queryOn = (collection: Collection, depth: number): fc.Arbitrary<ItemsQuery> =>
  fc
    .tuple(
      listOf(collection, depth),
      often(8, fc.array(fieldOf(collection, depth), { minLength: 1, maxLength: 5 })),
      fc.boolean(),
    )
    .map(([list, fields, meta]): ItemsQuery =>
      Object.assign(list, { fields, meta: meta ? true : undefined }),
    );

type Written = Record<string, unknown>;

export const writeSort = (keys: readonly SortKey[]): readonly string[] =>
  keys.map(({ path, descending }) => `${descending ? '-' : ''}${path.join('.')}`);

const writeList = (
  { filter, sort, limit, offset, page, search: text, deep }: ListQuery,
  prefix: string,
): Written => {
  const parameters: Written = {
    filter: filter === undefined ? undefined : writeFilter(filter),
    sort: sort === undefined ? undefined : writeSort(sort),
    limit,
    offset,
    page,
    search: text,
  };
  const written = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[`${prefix}${name}`, value]],
  );
  const below = Object.entries(deep ?? {}).map(([relation, query]) => [relation, writeList(query, '_')]);
  if (prefix === '_') return Object.fromEntries([...written, ...below]) as Written;
  return Object.fromEntries([
    ...written,
    ...(below.length === 0 ? [] : [['deep', Object.fromEntries(below)]]),
  ]) as Written;
};

export const writeQuery = ({ fields, meta, ...list }: ItemsQuery): Written => ({
  ...(fields === undefined ? {} : { fields }),
  ...writeList(list, ''),
  ...(meta === true ? { meta: '*' } : {}),
});

export const ways = ['json', 'brackets', 'body'] as const;
export type Way = (typeof ways)[number];

/** The request of a client that holds `token`. */
export const writeRequest = (
  path: string,
  query: ItemsQuery,
  sent: { readonly way: Way; readonly token: string | null },
): ApiRequest => parametersRequest(path, writeQuery(query), sent);

/** The request with these parameters. */
export const parametersRequest = (
  path: string,
  written: Written,
  { way, token }: { readonly way: Way; readonly token: string | null },
): ApiRequest => {
  const isBody = way === 'body' && !/\/items\/.*\//.test(path);
  return {
    id: 'test',
    method: isBody ? 'SEARCH' : 'GET',
    path,
    query: isBody ? '' : writeText(written, way),
    headers: {
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    address: () => '127.0.0.1',
    isSecure: () => false,
    isUntrustedOrigin: () => false,
    closeSignal: () => new AbortController().signal,
    onClose: () => undefined,
    stream: () => {
      throw new Error('no stream');
    },
    body: async () => Buffer.from(isBody ? JSON.stringify({ query: written }) : ''),
  };
};

/** Brackets cannot say that something is empty. */
const writeText = (written: Written, way: Way): string => {
  if (way === 'brackets' && !/\{\}|\[\]/.test(JSON.stringify(written))) return qs.stringify(written);
  const texts = Object.entries(written).map(([name, value]): [string, string] => {
    if (name === 'fields' || name === 'sort') return [name, (value as string[]).join()];
    return [name, typeof value === 'object' ? JSON.stringify(value) : String(value)];
  });
  return new URLSearchParams(texts).toString();
};
