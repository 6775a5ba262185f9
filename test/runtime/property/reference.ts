/** The answers to queries, worked out of whole tables. */
import type { Collection, Field, Relation, ToMany, ToOne } from '../../../contract/collection.js';
import type { Archive } from './archive.js';
import {
  checkQuery,
  Forbidden,
  isHidden,
  openStars,
  selectionsOf,
  toTree,
  type NameTree,
  type Shape,
} from './names.js';
import type { ItemsQuery, ListQuery, SortKey } from './queries.js';
import type { Row } from './rows.js';
import { compareValues } from './values.js';
import {
  cellOf,
  holds,
  mayUse,
  relatedRow,
  relatedRows,
  searches,
  visibleRows,
  type Place,
  type World,
} from './visible.js';

export interface Expected {
  readonly data: unknown;
  readonly meta?: Readonly<Record<string, number>>;
}

/** The answer to a list. @throws Forbidden */
export const answerList = (collection: Collection, query: ItemsQuery, world: World): Expected => {
  const place = { world, collection };
  checkQuery(query, place);
  const rows = visibleRows(world, collection);
  const order = orderOf(query.sort, undefined, place);
  const shape = { tree: toTree(query.fields ?? []), deep: query.deep ?? {} };
  const data = listRows(rows, { ...query, order }, place).map((row) => showRow(row, shape, place));
  if (query.meta !== true) return { data };
  return {
    data,
    meta: {
      total_count: rows.length,
      filter_count: rows.filter((row) => isWanted(row, query, place)).length,
    },
  };
};

/** The answer to one item, whatever page the query asks for. @throws Forbidden */
export const answerItem = (
  collection: Collection,
  { key, query }: { readonly key: string; readonly query: ItemsQuery },
  world: World,
): Expected => {
  const place = { world, collection };
  checkQuery(query, place);
  const row = visibleRows(world, collection).find((each) => String(bareKey(each, collection)) === key);
  if (row === undefined || !isWanted(row, query, place)) throw new Forbidden();
  return { data: showRow(row, { tree: toTree(query.fields ?? []), deep: query.deep ?? {} }, place) };
};

/** Sorted, filtered and cut: the rows of a list among those that could be in it. */
const listRows = (
  rows: readonly Row[],
  query: ListQuery & { readonly order: readonly OrderKey[] },
  place: Place,
): readonly Row[] => {
  const found = rows.filter((row) => isWanted(row, query, place));
  const sorted = found.toSorted((left, right) => compareRows(left, right, { keys: query.order, place }));
  return cut(sorted, query, place.world.fallback);
};

export const isWanted = (row: Row, { filter, search }: ListQuery, place: Place): boolean =>
  (filter === undefined || holds(filter, row, place)) &&
  (search === undefined || searches(search, row, place));

export const cut = <Entry>(
  rows: readonly Entry[],
  { limit, offset = 0, page }: Pick<ListQuery, 'limit' | 'offset' | 'page'>,
  fallback: number,
): readonly Entry[] => {
  const count = limit === -1 ? Number.MAX_SAFE_INTEGER : (limit ?? fallback);
  const start = page === undefined ? offset : Math.max(0, page - 1) * count;
  return rows.slice(start, start + count);
};

const compareRows = (
  left: Row,
  right: Row,
  { keys, place }: { readonly keys: readonly OrderKey[]; readonly place: Place },
): number => {
  for (const { path, descending, nullsLast = false } of keys) {
    const [a, b] = [resolve(path, left, place), resolve(path, right, place)];
    const order = compareNullable(a, b, { archive: place.world.archive, nullsLast });
    if (order !== 0) return descending ? -order : order;
  }
  return 0;
};

interface Cell {
  readonly field: Field;
  readonly value: unknown;
}

/** Null comes first, except in lists that keep an order of their own. */
const compareNullable = (
  left: Cell,
  right: Cell,
  { archive, nullsLast }: { readonly archive: Archive; readonly nullsLast: boolean },
): number => {
  if (left.value === null || right.value === null) {
    return (Number(left.value !== null) - Number(right.value !== null)) * (nullsLast ? -1 : 1);
  }
  return compareValues(left.field, left.value, right.value, archive);
};

export const resolve = (path: readonly string[], row: Row | null, place: Place): Cell => {
  const [name = '', ...rest] = path;
  const { collection } = place;
  if (rest.length === 0)
    return { field: collection.fields.get(name) as Field, value: cellOf(name, row, place) };
  const relation = (collection.relations.get(name) ?? collection.anyTargets.get(name)) as ToOne;
  return resolve(rest, relatedRow(relation, row, place), { ...place, collection: relation.collection });
};

interface OrderKey extends SortKey {
  readonly nullsLast?: boolean;
}

/** The order asked for, else the list's or the collection's own as far as it may be used; the key decides the rest. */
const orderOf = (
  sort: readonly SortKey[] | undefined,
  sortField: string | undefined,
  place: Place,
): readonly OrderKey[] => {
  const keys = sort ?? ownOrder(sortField, place);
  const sorted = new Set(keys.flatMap(({ path }) => (path.length === 1 ? path : [])));
  const rest = place.collection.key.filter(({ name }) => !sorted.has(name));
  return [...keys, ...rest.map(({ name }) => ({ path: [name], descending: false }))];
};

const ownOrder = (sortField: string | undefined, { world, collection }: Place): readonly OrderKey[] => {
  const mayBe = (name: string | null | undefined): name is string =>
    typeof name === 'string' && mayUse(world, collection, name);
  if (mayBe(sortField)) return [{ path: [sortField], descending: false, nullsLast: true }];
  return mayBe(collection.sortField) ? [{ path: [collection.sortField], descending: false }] : [];
};

const showRow = (row: Row, { tree, deep }: Shape, place: Place): Record<string, unknown> => {
  const shown: [string, unknown][] = [];
  const opened = openStars(tree, place);
  for (const [name, below] of opened) {
    const relation = place.collection.relations.get(name);
    const isAny = relation?.kind === 'manyToAny' && below.size > 0;
    if (isAny || place.collection.anyTargets.has(name)) continue;
    if (isHidden(relation, below, place)) continue;
    shown.push([
      name,
      showEntry(name, row, {
        relation,
        shape: { tree: below, deep: deep[name]?.deep ?? {} },
        query: deep[name] ?? {},
        place,
      }),
    ]);
  }
  for (const relation of place.collection.relations.values()) {
    const selections = relation.kind === 'manyToAny' ? selectionsOf(relation, opened) : null;
    if (selections !== null) shown.push([relation.name, showAny(row, selections, { deep, place })]);
  }
  return Object.fromEntries(shown);
};

/** The item that a row leads to, whichever collection it is of; its key where nothing is selected of that collection. */
const showAny = (
  row: Row,
  selections: ReadonlyMap<ToOne, NameTree | null>,
  { deep, place }: Pick<Shape, 'deep'> & { readonly place: Place },
): unknown => {
  for (const [target, tree] of selections) {
    const found = relatedRow(target, row, place);
    if (found === null) continue;
    const inner = { ...place, collection: target.collection };
    const query = deep[target.name] ?? {};
    if (query.filter !== undefined && !holds(query.filter, found, inner)) return null;
    return tree === null
      ? bareKey(found, target.collection)
      : showRow(found, { tree, deep: query.deep ?? {} }, inner);
  }
  return null;
};

interface EntryContext {
  readonly relation: Relation | undefined;
  readonly shape: Shape;
  readonly query: ListQuery;
  readonly place: Place;
}

const showEntry = (name: string, row: Row, { relation, shape, query, place }: EntryContext): unknown => {
  if (relation?.kind === 'oneToMany') return showList(row, relation, { shape, query, place });
  const field = place.collection.fields.get(name);
  if (shape.tree.size === 0 && field !== undefined) return conceal(field, cellOf(name, row, place));
  const step = relation as ToOne;
  const inner = { ...place, collection: step.collection };
  const target = relatedRow(step, row, place);
  if (target === null || (query.filter !== undefined && !holds(query.filter, target, inner))) return null;
  return showRow(target, shape, inner);
};

const conceal = ({ conceal: isConcealed }: Field, value: unknown): unknown =>
  isConcealed === true && value !== null ? '**********' : value;

const showList = (
  row: Row,
  relation: ToMany,
  { shape, query, place }: Omit<EntryContext, 'relation'>,
): unknown => {
  const rows = relatedRows(relation, row, place);
  if (rows === null) return null;
  const inner = { ...place, collection: relation.collection };
  const order = orderOf(query.sort, relation.sortField, inner);
  return listRows(rows, { ...query, order }, inner).map((each) =>
    shape.tree.size === 0 ? bareKey(each, relation.collection) : showRow(each, shape, inner),
  );
};

const bareKey = (row: Row, { key }: Collection): unknown => {
  const [only] = key;
  return key.length === 1 && only !== undefined
    ? row[only.name]
    : key.map(({ name }) => String(row[name])).join();
};

/** Returns an answer as it is sent, or the code of its error. */
export const expected = (answer: () => Expected): unknown => {
  try {
    return JSON.parse(JSON.stringify(answer())) as unknown;
  } catch (error) {
    if (error instanceof Forbidden) return 'FORBIDDEN';
    throw error;
  }
};
