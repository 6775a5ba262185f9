/**
 * Decides what a caller may see, table by table, row by row, cell by cell, in the plainest words. Knows nothing of
 * plans and SQL.
 */
import type { Collection, Field, ToMany, ToOne } from '../../../contract/collection.js';
import type { Archive } from './archive.js';
import type { FilterTree } from './filters.js';
import type { Row } from './rows.js';
import { compareValues, csvText } from './values.js';

/** One permission to read. */
export interface ReadPermission {
  readonly collection: string;
  /** `null`: every row. */
  readonly filter: FilterTree | null;
  readonly fields: readonly string[];
}

/** The caller. */
export interface Viewer {
  /** `null`: an administrator. */
  readonly permissions: readonly ReadPermission[] | null;
  /** Value of `$CURRENT_USER.person`. */
  readonly person: number | null;
}

export interface World {
  readonly archive: Archive;
  readonly viewer: Viewer;
  /** Rows of a list without a limit. */
  readonly fallback: number;
  /** True where a rule is judged. */
  readonly inRule?: true;
}

const permissionsOf = ({ viewer }: World, collection: Collection): readonly ReadPermission[] =>
  (viewer.permissions ?? []).filter((permission) => permission.collection === collection.name);

export const canRead = (world: World, collection: Collection): boolean =>
  world.viewer.permissions === null || permissionsOf(world, collection).length > 0;

const lists = ({ fields }: ReadPermission, name: string): boolean =>
  fields.includes('*') || fields.includes(name);

/** The columns that a name needs: one target of a many-to-any relation needs the key and the name of the collection. */
const columnsOf = ({ anyTargets }: Collection, name: string): readonly string[] => {
  const anyOf = anyTargets.get(name)?.anyOf;
  return anyOf === undefined ? [name] : [anyOf.keyField.name, anyOf.collectionField.name];
};

export const mayUse = (world: World, collection: Collection, name: string): boolean =>
  world.viewer.permissions === null ||
  columnsOf(collection, name).every((column) =>
    permissionsOf(world, collection).some((permission) => lists(permission, column)),
  );

/** A rule sees everything. */
const passes = (
  world: World,
  collection: Collection,
  { permission, row }: { readonly permission: ReadPermission; readonly row: Row },
): boolean => {
  const everything = { ...world, viewer: { ...world.viewer, permissions: null }, inRule: true as const };
  return permission.filter === null || holds(permission.filter, row, { world: everything, collection });
};

const rowsOf = ({ archive }: World, collection: Collection): readonly Row[] =>
  archive.rows.get(collection.name) ?? [];

const isVisible = (world: World, collection: Collection, row: Row): boolean =>
  world.viewer.permissions === null ||
  permissionsOf(world, collection).some((permission) => passes(world, collection, { permission, row }));

export const visibleRows = (world: World, collection: Collection): readonly Row[] =>
  rowsOf(world, collection).filter((row) => isVisible(world, collection, row));

/** Returns whether a name shows on a row. */
export const shows = (
  world: World,
  collection: Collection,
  { name, row }: { readonly name: string; readonly row: Row },
): boolean =>
  world.viewer.permissions === null ||
  columnsOf(collection, name).every((column) =>
    permissionsOf(world, collection).some(
      (permission) => lists(permission, column) && passes(world, collection, { permission, row }),
    ),
  );

/** Position of a filter, or of a name. */
export interface Place {
  readonly world: World;
  readonly collection: Collection;
}

export const cellOf = (name: string, row: Row | null, { world, collection }: Place): unknown =>
  row === null || !shows(world, collection, { name, row }) ? null : row[name];

/** Fields that hold the key of something, in step with that key. */
interface Reference {
  readonly fields: readonly string[];
  readonly references: readonly string[];
}

/** Keys are equal where the database says so. */
const refersTo = (
  from: Row,
  to: Row,
  { reference, archive }: { readonly reference: Reference; readonly archive: Archive },
): boolean =>
  reference.fields.every((name, index) => {
    const [held, key] = [from[name], to[reference.references[index] ?? '']];
    if (held === null || key === null) return false;
    return held === key || (typeof held === 'string' && archive.collation.compare(held, String(key)) === 0);
  });

export const relatedRow = (relation: ToOne, row: Row | null, { world, collection }: Place): Row | null => {
  if (row === null || !shows(world, collection, { name: relation.name, row })) return null;
  const { anyOf, target: named } = relation;
  if (anyOf !== undefined && row[anyOf.collectionField.name] !== named) return null;
  const rows = rowsOf(world, relation.collection);
  // most rows are not referred to, which is quicker to tell than that they are hidden
  return (
    rows.find(
      (target) =>
        refersTo(row, target, { reference: relation, archive: world.archive }) &&
        isVisible(world, relation.collection, target),
    ) ?? null
  );
};

/** `null`: the list does not show. */
export const relatedRows = (
  relation: ToMany,
  row: Row | null,
  { world, collection }: Place,
): readonly Row[] | null => {
  if (row === null || !shows(world, collection, { name: relation.name, row })) return null;
  return rowsOf(world, relation.collection).filter(
    (target) =>
      refersTo(target, row, { reference: relation, archive: world.archive }) &&
      isVisible(world, relation.collection, target),
  );
};

export const holds = (filter: FilterTree, row: Row | null, place: Place): boolean => {
  switch (filter.kind) {
    case 'and':
      return gather(filter.parts).every((part) => holds(part, row, place));
    case 'or':
      return filter.parts.some((part) => holds(part, row, place));
    case 'one': {
      const { anyOf, target: named } = filter.relation;
      if (anyOf !== undefined && cellOf(anyOf.collectionField.name, row, place) !== named) return false;
      const target = relatedRow(filter.relation, row, place);
      return holds(filter.filter, target, { ...place, collection: filter.relation.collection });
    }
    case 'many':
      return holdsMany(filter, relatedRows(filter.relation, row, place) ?? [], place);
    case 'compare':
      return compares(filter, cellOf(filter.field.name, row, place), place);
  }
};

const holdsMany = (
  { relation, quantifier, filter }: Extract<FilterTree, { kind: 'many' }>,
  rows: readonly Row[],
  place: Place,
): boolean => {
  if (quantifier === 'null' || quantifier === 'nnull') return (rows.length === 0) === (quantifier === 'null');
  if (filter === null) return true;
  if (quantifier === 'plain' && place.world.inRule !== true && isKeyNull(relation, filter))
    return rows.length === 0;
  const found = rows.some((row) => holds(filter, row, { ...place, collection: relation.collection }));
  return found !== (quantifier === 'none');
};

/** A query that asks of a list only that its key is null asks for those without rows; in a rule no row has that. */
const isKeyNull = ({ collection: { key } }: ToMany, filter: FilterTree): boolean =>
  filter.kind === 'compare' &&
  key.length === 1 &&
  key[0] === filter.field &&
  ((filter.operator === 'null' && filter.operand[0]?.value === true) ||
    (filter.operator === 'nnull' && filter.operand[0]?.value === false));

/** Conditions on one relation without a quantifier apply to the same related row. */
const gather = (parts: readonly FilterTree[]): readonly FilterTree[] => {
  const gathered = new Map<string, FilterTree>();
  parts.forEach((part, index) => {
    const isStep =
      part.kind === 'one' || (part.kind === 'many' && part.quantifier === 'plain' && part.filter !== null);
    const name = isStep ? part.relation.name : String(index);
    const present = gathered.get(name);
    if (!isStep || present === undefined) gathered.set(name, part);
    else
      gathered.set(name, {
        ...present,
        filter: { kind: 'and', parts: [inside(present), inside(part)].flat() },
      } as FilterTree);
  });
  return [...gathered.values()];
};

const inside = (step: FilterTree): readonly FilterTree[] => {
  const filter = 'filter' in step ? step.filter : null;
  return filter === null ? [] : [filter];
};

/** Nothing can be said of a null but that it is one. */
const compares = (
  { field, operator, operand }: Extract<FilterTree, { kind: 'compare' }>,
  cell: unknown,
  { world }: Place,
): boolean => {
  const { archive, viewer } = world;
  const values = operand.map(({ value }) => (typeof value === 'symbol' ? viewer.person : value));
  const isEmpty = cell === null || (cell !== undefined && archive.collation.compare(csvText(cell), '') === 0);
  if (operator === 'null' || operator === 'nnull')
    return (cell === null) === ((operator === 'null') === values[0]);
  if (operator === 'empty' || operator === 'nempty')
    return isEmpty === ((operator === 'empty') === values[0]);
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

const matches = (
  operator: string,
  text: string,
  { part, archive }: { readonly part: string; readonly archive: Archive },
): boolean => {
  const [, not, anyCase, where = ''] = /^(n?)(i?)(contains|starts|ends)/.exec(operator) ?? [];
  const { collation } = archive;
  const found = (anyCase === 'i' ? collation.matchesAnyCase : collation.matches)(
    text,
    part,
    where as 'contains',
  );
  return found !== (not === 'n');
};

export const searches = (text: string, row: Row, place: Place): boolean =>
  [...place.collection.fields.values()].some((field) => {
    const cell = mayUse(place.world, place.collection, field.name) ? cellOf(field.name, row, place) : null;
    return cell !== null && field.conceal !== true && isFound(text, field, { cell, world: place.world });
  });

const isFound = (
  text: string,
  field: Field,
  { cell, world }: { readonly cell: unknown; readonly world: World },
): boolean => {
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
