/** Describes the differences between two catalogs. */
import type { Catalog, Column, Table } from '../../generator/introspection/catalog.js';

/**
 * Returns changes such as `column Album.Year added (int(11))`; empty if tables, columns, keys and relations
 * are equal.
 */
export const catalogChanges = (before: Catalog, after: Catalog): readonly string[] => [
  ...pairs(before.tables, after.tables).flatMap(([old, now]) => tableChanges(old, now)),
  ...(JSON.stringify(before.meta) === JSON.stringify(after.meta)
    ? []
    : ['meta of collections or fields changed']),
];

interface Named {
  readonly name: string;
}

type Pair<Item> = readonly [Item, Item | null] | readonly [null, Item];

/** Pairs items by name: existing ones first, then new ones. */
const pairs = <Item extends Named>(
  before: readonly Item[],
  after: readonly Item[],
): readonly Pair<Item>[] => {
  const old = new Map(before.map((item) => [item.name, item]));
  const now = new Map(after.map((item) => [item.name, item]));
  return [
    ...before.map((item) => [item, now.get(item.name) ?? null] as const),
    ...after.filter((item) => !old.has(item.name)).map((item) => [null, item] as const),
  ];
};

const tableChanges = (before: Table | null, after: Table | null): readonly string[] => {
  const { kind, name } = (before ?? after) as Table;
  if (before === null) return [`${kind} ${name} added`];
  if (after === null) return [`${kind} ${name} removed`];
  // most tables of a large catalog, whose columns and parts need no look then
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const columns = pairs(before.columns, after.columns).flatMap(([old, now]) => columnChanges(name, old, now));
  const differs = (key: keyof Table): boolean => JSON.stringify(before[key]) !== JSON.stringify(after[key]);
  const rest = Object.entries(parts).filter(([key]) => differs(key as keyof Table));
  return [...columns, ...rest.map(([, part]) => `${part} of ${name} changed`)];
};

/** Parts of a table besides its columns. */
const parts: Readonly<Record<Exclude<keyof Table, 'name' | 'columns'>, string>> = {
  kind: 'kind',
  comment: 'comment',
  primaryKey: 'primary key',
  uniques: 'unique constraints',
  foreignKeys: 'foreign keys',
  broken: 'broken foreign keys',
  indexes: 'indexes',
  triggers: 'triggers',
  options: 'options',
};

const columnChanges = (table: string, before: Column | null, after: Column | null): readonly string[] => {
  const subject = `column ${table}.${((before ?? after) as Column).name}`;
  if (before === null) return [`${subject} added (${columnToText(after as Column)})`];
  if (after === null) return [`${subject} removed`];
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const [old, now] = [columnToText(before), columnToText(after)];
  const difference = old === now ? valueChanges(before, after) : `${old} → ${now}`;
  return [difference === '' ? `${subject} changed` : `${subject} changed: ${difference}`];
};

/** Compares enum values, since some databases name an enum's type regardless of them. */
const valueChanges = ({ type: before }: Column, { type: after }: Column): string => {
  if (before.kind !== 'enum' || after.kind !== 'enum') return '';
  const added = after.values.filter((value) => !before.values.includes(value));
  const removed = before.values.filter((value) => !after.values.includes(value));
  return [...listValues(added, 'added'), ...listValues(removed, 'removed')].join(', ');
};

const listValues = (values: readonly string[], change: string): readonly string[] =>
  values.length === 0 ? [] : [`${values.map((value) => `'${value}'`).join(', ')} ${change}`];

const columnToText = ({ dbType, nullable, default: value }: Column): string => {
  const preset =
    value === null ? '' : ` default ${value.kind === 'literal' ? `'${value.value}'` : value.sql}`;
  return `${dbType}${nullable ? '' : ' not null'}${preset}`;
};
