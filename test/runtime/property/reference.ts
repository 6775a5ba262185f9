/**
 * What a query means, in the plainest words: whole tables, and loops. Knows nothing of plans and SQL; everything a
 * caller may see of a table is decided here row by row, cell by cell.
 */
import type { Collection, Field, Relation, ToMany, ToOne } from '../../../runtime/collection.js';
import type { Archive } from './archive.js';
import type { FilterTree } from './filters.js';
import type { ItemsQuery, ListQuery, SortKey } from './queries.js';
import type { Row } from './rows.js';
import { compareValues, csvText } from './values.js';

/** One permission to read. */
export interface ReadPermission {
  readonly collection: string;
  /** `null`: every row. */
  readonly filter: FilterTree | null;
  readonly fields: readonly string[];
}

/** Who looks. */
export interface Viewer {
  /** `null`: an administrator. */
  readonly permissions: readonly ReadPermission[] | null;
  /** What `$CURRENT_USER.person` stands for. */
  readonly person: number | null;
}

export interface World {
  readonly archive: Archive;
  readonly viewer: Viewer;
  /** Rows of a list without a limit. */
  readonly fallback: number;
}

/** Named something that is not there for the viewer. */
export class Forbidden extends Error {}

const permissionsOf = ({ viewer }: World, collection: Collection): readonly ReadPermission[] =>
  (viewer.permissions ?? []).filter((permission) => permission.collection === collection.name);

const canRead = (world: World, collection: Collection): boolean =>
  world.viewer.permissions === null || permissionsOf(world, collection).length > 0;

const lists = ({ fields }: ReadPermission, name: string): boolean => fields.includes('*') || fields.includes(name);

const mayUse = (world: World, collection: Collection, name: string): boolean =>
  world.viewer.permissions === null || permissionsOf(world, collection).some((permission) => lists(permission, name));

/** A rule sees everything. */
const passes = (world: World, collection: Collection, { permission, row }: { readonly permission: ReadPermission; readonly row: Row }): boolean => {
  const everything = { ...world, viewer: { ...world.viewer, permissions: null } };
  return permission.filter === null || holds(permission.filter, row, { world: everything, collection });
};

const visibleRows = (world: World, collection: Collection): readonly Row[] => {
  const rows = world.archive.rows.get(collection.name) ?? [];
  if (world.viewer.permissions === null) return rows;
  return rows.filter((row) => permissionsOf(world, collection).some((permission) => passes(world, collection, { permission, row })));
};

/** Whether a name shows on a row. */
const shows = (world: World, collection: Collection, { name, row }: { readonly name: string; readonly row: Row }): boolean =>
  world.viewer.permissions === null ||
  permissionsOf(world, collection).some((permission) => lists(permission, name) && passes(world, collection, { permission, row }));

/** Where a filter stands. */
interface Place {
  readonly world: World;
  readonly collection: Collection;
}

const cellOf = (name: string, row: Row | null, { world, collection }: Place): unknown =>
  row === null || !shows(world, collection, { name, row }) ? null : row[name];

const isSameKey = (left: Row, right: Row, { fields, references }: { readonly fields: readonly string[]; readonly references: readonly string[] }): boolean =>
  fields.every((name, index) => left[name] !== null && left[name] === right[references[index] ?? '']);

const relatedRow = (relation: ToOne, row: Row | null, { world, collection }: Place): Row | null => {
  if (row === null || !shows(world, collection, { name: relation.name, row })) return null;
  return visibleRows(world, relation.collection).find((target) => isSameKey(row, target, relation)) ?? null;
};

/** `null`: the list does not show. */
const relatedRows = (relation: ToMany, row: Row | null, { world, collection }: Place): readonly Row[] | null => {
  if (row === null || !shows(world, collection, { name: relation.name, row })) return null;
  return visibleRows(world, relation.collection).filter((target) => isSameKey(target, row, relation));
};

const holds = (filter: FilterTree, row: Row | null, place: Place): boolean => {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => holds(part, row, place));
    case 'or':
      return filter.parts.some((part) => holds(part, row, place));
    case 'one': {
      const target = relatedRow(filter.relation, row, place);
      return holds(filter.filter, target, { ...place, collection: filter.relation.collection });
    }
    case 'many': {
      const rows = relatedRows(filter.relation, row, place) ?? [];
      const inner = { ...place, collection: filter.relation.collection };
      const found = rows.some((each) => filter.filter === null || holds(filter.filter, each, inner));
      return filter.quantifier === 'none' ? !found : found;
    }
    case 'compare':
      return compares(filter, cellOf(filter.field.name, row, place), place);
  }
};

/** Nothing can be said of a null but that it is one. */
const compares = ({ field, operator, operand }: Extract<FilterTree, { kind: 'compare' }>, cell: unknown, { world }: Place): boolean => {
  const { archive, viewer } = world;
  const values = operand.map(({ value }) => (typeof value === 'symbol' ? viewer.person : value));
  const isEmpty = cell === null || (cell !== undefined && archive.collation.compare(csvText(cell), '') === 0);
  if (operator === 'null' || operator === 'nnull') return (cell === null) === ((operator === 'null') === values[0]);
  if (operator === 'empty' || operator === 'nempty') return isEmpty === ((operator === 'empty') === values[0]);
  if (cell === null || values.includes(null)) return false;
  const order = (value: unknown): number => compareValues(field, cell, value, archive);
  const [first, second] = values;
  switch (operator) {
    case 'eq':
      return order(first) === 0;
    case 'neq':
      return order(first) !== 0;
    case 'lt':
      return order(first) < 0;
    case 'lte':
      return order(first) <= 0;
    case 'gt':
      return order(first) > 0;
    case 'gte':
      return order(first) >= 0;
    case 'in':
      return values.some((value) => order(value) === 0);
    case 'nin':
      return values.every((value) => order(value) !== 0);
    case 'between':
      return order(first) >= 0 && order(second) <= 0;
    case 'nbetween':
      return order(first) < 0 || order(second) > 0;
    default:
      return matches(operator, csvText(cell), { part: String(first), archive });
  }
};

const matches = (operator: string, text: string, { part, archive }: { readonly part: string; readonly archive: Archive }): boolean => {
  const [, not, anyCase, where = ''] = /^(n?)(i?)(contains|starts|ends)/.exec(operator) ?? [];
  const { collation } = archive;
  const found = (anyCase === 'i' ? collation.matchesAnyCase : collation.matches)(text, part, where as 'contains');
  return found !== (not === 'n');
};

const searches = (text: string, row: Row, place: Place): boolean =>
  [...place.collection.fields.values()].some((field) => {
    const cell = mayUse(place.world, place.collection, field.name) ? cellOf(field.name, row, place) : null;
    return cell !== null && field.conceal !== true && isFound(text, field, { cell, world: place.world });
  });

const isFound = (text: string, field: Field, { cell, world }: { readonly cell: unknown; readonly world: World }): boolean => {
  switch (field.type) {
    case 'string':
    case 'text':
    case 'csv':
      return world.archive.collation.matchesAnyCase(csvText(cell), text, 'contains');
    case 'integer':
    case 'bigInteger':
      return /^-?\d+$/.test(text) && compareValues(field, cell, text, world.archive) === 0;
    case 'float':
    case 'decimal':
      return /^-?\d+(\.\d+)?$/.test(text) && compareValues(field, cell, text, world.archive) === 0;
    case 'uuid':
      return cell === text.toLowerCase();
    default:
      return false;
  }
};

/** Sorted, filtered and cut: the rows of a list among those that could be in it. */
const listRows = (rows: readonly Row[], query: ListQuery & { readonly order: readonly SortKey[] }, place: Place): readonly Row[] => {
  const found = rows.filter((row) => isWanted(row, query, place));
  const sorted = found.toSorted((left, right) => compareRows(left, right, { keys: query.order, place }));
  return cut(sorted, query, place.world.fallback);
};

const isWanted = (row: Row, { filter, search }: ListQuery, place: Place): boolean =>
  (filter === undefined || holds(filter, row, place)) && (search === undefined || searches(search, row, place));

const cut = (rows: readonly Row[], { limit, offset = 0, page }: ListQuery, fallback: number): readonly Row[] => {
  const count = limit === -1 ? Number.MAX_SAFE_INTEGER : (limit ?? fallback);
  const start = page === undefined ? offset : Math.max(0, page - 1) * count;
  return rows.slice(start, start + count);
};

const compareRows = (left: Row, right: Row, { keys, place }: { readonly keys: readonly SortKey[]; readonly place: Place }): number => {
  for (const { path, descending } of keys) {
    const [a, b] = [resolve(path, left, place), resolve(path, right, place)];
    const order = compareNullable(a, b, place.world.archive);
    if (order !== 0) return descending ? -order : order;
  }
  return 0;
};

interface Cell {
  readonly field: Field;
  readonly value: unknown;
}

/** Null comes first. */
const compareNullable = (left: Cell, right: Cell, archive: Archive): number => {
  if (left.value === null || right.value === null) return Number(left.value !== null) - Number(right.value !== null);
  return compareValues(left.field, left.value, right.value, archive);
};

const resolve = (path: readonly string[], row: Row | null, place: Place): Cell => {
  const [name = '', ...rest] = path;
  const { collection } = place;
  if (rest.length === 0) return { field: collection.fields.get(name) as Field, value: cellOf(name, row, place) };
  const relation = collection.relations.get(name) as ToOne;
  return resolve(rest, relatedRow(relation, row, place), { ...place, collection: relation.collection });
};

/** The order asked for, else the list's or the collection's own as far as it may be used; the key decides the rest. */
const orderOf = (sort: readonly SortKey[] | undefined, sortField: string | null | undefined, { world, collection }: Place): readonly SortKey[] => {
  const ascending = (name: string): SortKey => ({ path: [name], descending: false });
  const own = sortField ?? collection.sortField;
  const keys = sort ?? (own !== null && mayUse(world, collection, own) ? [ascending(own)] : []);
  const sorted = keys.flatMap(({ path }) => (path.length === 1 ? path : []));
  return [...keys, ...collection.key.map(({ name }) => name).filter((name) => !sorted.includes(name)).map(ascending)];
};

/** Names below names, as in `fields`. */
interface NameTree extends Map<string, NameTree> {}

const toTree = (paths: readonly string[]): NameTree => {
  const root: NameTree = new Map();
  for (const path of paths) {
    let tree = root;
    for (const name of path.split('.')) {
      const next: NameTree = tree.get(name) ?? new Map();
      tree.set(name, next);
      tree = next;
    }
  }
  return root;
};

const mergeTrees = (into: NameTree, from: NameTree): void => {
  for (const [name, below] of from) {
    const present = into.get(name);
    if (present === undefined) into.set(name, structuredClone(below));
    else mergeTrees(present, below);
  }
};

/** With `*` replaced by the names it stands for; nothing at all is `*`. */
const openStars = (tree: NameTree, { world, collection }: Place): NameTree => {
  const opened: NameTree = new Map();
  for (const [name, below] of tree.size === 0 ? toTree(['*']) : tree) {
    if (name !== '*') mergeTrees(opened, new Map([[name, below]]));
    else {
      for (const each of starNames(collection).filter((candidate) => mayUse(world, collection, candidate))) {
        mergeTrees(opened, new Map([[each, collection.relations.has(each) ? below : new Map()]]));
      }
    }
  }
  return opened;
};

const starNames = ({ fields, relations }: Collection): readonly string[] => [
  ...fields.keys(),
  ...[...relations.values()].flatMap((relation) => (relation.kind === 'oneToMany' && relation.listed === true ? [relation.name] : [])),
];

interface Shape {
  readonly tree: NameTree;
  readonly deep: Readonly<Record<string, ListQuery>>;
}

const showRow = (row: Row, { tree, deep }: Shape, place: Place): Record<string, unknown> => {
  const shown: [string, unknown][] = [];
  for (const [name, below] of openStars(tree, place)) {
    const relation = place.collection.relations.get(name);
    if (isHidden(relation, below, place)) continue;
    shown.push([name, showEntry(name, row, { relation, shape: { tree: below, deep: deep[name]?.deep ?? {} }, query: deep[name] ?? {}, place })]);
  }
  return Object.fromEntries(shown);
};

/** A relation to where nothing may be read is left out. */
const isHidden = (relation: Relation | undefined, below: NameTree, { world, collection }: Place): boolean =>
  relation !== undefined &&
  relation.kind !== 'manyToAny' &&
  !(relation.kind === 'manyToOne' && below.size === 0 && collection.fields.has(relation.name)) &&
  !canRead(world, relation.collection);

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
  const target = relatedRow(relation as ToOne, row, place);
  return target === null ? null : showRow(target, shape, { ...place, collection: (relation as ToOne).collection });
};

const conceal = ({ conceal: isConcealed }: Field, value: unknown): unknown => (isConcealed === true && value !== null ? '**********' : value);

const showList = (row: Row, relation: ToMany, { shape, query, place }: Omit<EntryContext, 'relation'>): unknown => {
  const rows = relatedRows(relation, row, place);
  if (rows === null) return null;
  const inner = { ...place, collection: relation.collection };
  const order = orderOf(query.sort, relation.sortField, inner);
  return listRows(rows, { ...query, order }, inner).map((each) => (shape.tree.size === 0 ? bareKey(each, relation.collection) : showRow(each, shape, inner)));
};

const bareKey = (row: Row, { key }: Collection): unknown => {
  const [only] = key;
  return key.length === 1 && only !== undefined ? row[only.name] : key.map(({ name }) => String(row[name])).join();
};

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
  return { data, meta: { total_count: rows.length, filter_count: rows.filter((row) => isWanted(row, query, place)).length } };
};

/** The answer to one item, whatever page the query asks for. @throws Forbidden */
export const answerItem = (collection: Collection, { key, query }: { readonly key: string; readonly query: ItemsQuery }, world: World): Expected => {
  const place = { world, collection };
  checkQuery(query, place);
  const row = visibleRows(world, collection).find((each) => String(bareKey(each, collection)) === key);
  if (row === undefined || !isWanted(row, query, place)) throw new Forbidden();
  return { data: showRow(row, { tree: toTree(query.fields ?? []), deep: query.deep ?? {} }, place) };
};

/** Every name has to be one that the viewer may use, whether or not there are rows. @throws Forbidden */
const checkQuery = (query: ItemsQuery, place: Place): void => {
  if (!canRead(place.world, place.collection)) throw new Forbidden();
  checkList(query, place);
  checkFields({ tree: toTree(query.fields ?? []), deep: query.deep ?? {} }, place);
};

const checkList = ({ filter, sort = [] }: ListQuery, place: Place): void => {
  if (filter !== undefined) checkFilter(filter, place);
  for (const { path } of sort) checkPath(path, place);
};

const require = (isAllowed: boolean): void => {
  if (!isAllowed) throw new Forbidden();
};

const checkPath = ([name = '', ...rest]: readonly string[], { world, collection }: Place): void => {
  require(mayUse(world, collection, name));
  if (rest.length === 0) return;
  const relation = collection.relations.get(name) as ToOne;
  require(canRead(world, relation.collection));
  checkPath(rest, { world, collection: relation.collection });
};

const checkFilter = (filter: FilterTree, { world, collection }: Place): void => {
  if (filter.kind === 'and' || filter.kind === 'or') return filter.parts.forEach((part) => checkFilter(part, { world, collection }));
  if (filter.kind === 'compare') return require(mayUse(world, collection, filter.field.name));
  require(mayUse(world, collection, filter.relation.name) && canRead(world, filter.relation.collection));
  if (filter.filter !== null) checkFilter(filter.filter, { world, collection: filter.relation.collection });
};

const checkFields = ({ tree, deep }: Shape, place: Place): void => {
  const { world, collection } = place;
  for (const [name, below] of openStars(tree, place)) {
    require(mayUse(world, collection, name));
    const relation = collection.relations.get(name);
    if (relation === undefined || relation.kind === 'manyToAny' || isHidden(relation, below, place)) continue;
    if (relation.kind === 'manyToOne' && below.size === 0 && collection.fields.has(name)) continue;
    const inner = { world, collection: relation.collection };
    const query = deep[name] ?? {};
    if (relation.kind === 'oneToMany') checkList(query, inner);
    if (relation.kind === 'manyToOne' || below.size > 0) checkFields({ tree: below, deep: query.deep ?? {} }, inner);
  }
};
