/** Finds links between tables: foreign keys of the catalog and relations of the meta, from the many side. */
import type { ForeignKey } from '../introspection/catalog.js';
import { suggest } from '../spec/faults.js';
import { compareText } from '../../contract/text-order.js';
import { report, type Findings } from './findings.js';
import { sourceOfEntry, sourceOfKey, textOf, wordsOf, type Meta, type MetaEntry } from './meta.js';
import type { CollectionTable, Tables } from './tables.js';

/** One or several columns that contain the key of a row of `one`. */
export interface Link {
  readonly many: string;
  readonly columns: readonly string[];
  readonly one: string;
  readonly references: readonly string[];
  /** Name of the many-to-one relation: the column's own name where it is free. */
  readonly name: string;
  /** The meta entry; `null` where only a foreign key declares the link. */
  readonly meta: MetaEntry | null;
  /** True where a foreign key of the database backs the link. */
  readonly constrained: boolean;
}

/** A column that contains a key of one of several collections. */
interface AnyLink {
  readonly many: string;
  readonly column: string;
  readonly collectionColumn: string;
  readonly targets: readonly string[];
}

export interface Links {
  /** Links by the table on the many side. */
  readonly toOne: ReadonlyMap<string, readonly Link[]>;
  readonly toAny: ReadonlyMap<string, readonly AnyLink[]>;
}

/**
 * Finds all links by the table of the many side. A relation of the meta that cannot be one is a finding and
 * no link.
 */
export const findLinks = (tables: Tables, meta: Meta, findings: Findings): Links => {
  const toOne = new Map<string, readonly Link[]>();
  const toAny = new Map<string, readonly AnyLink[]>();
  for (const [name, many] of tables) {
    const entries = meta.relations.get(name) ?? new Map<string, MetaEntry>();
    const context = { tables, many, entries, findings };
    const keyLinks = nameKeys(many, usableKeys(context)).map((link) => addMeta(link, context));
    const declared = [...entries].filter(([field]) => !keyLinks.some((link) => link.name === field));
    const metaLinks = declared.flatMap(([field, entry]) => readRelation(field, entry, context));
    toOne.set(name, [...keyLinks, ...metaLinks.filter((link) => 'one' in link)]);
    toAny.set(
      name,
      metaLinks.filter((link) => 'targets' in link),
    );
  }
  return { toOne, toAny };
};

interface Context {
  readonly tables: Tables;
  readonly many: CollectionTable;
  readonly entries: ReadonlyMap<string, MetaEntry>;
  readonly findings: Findings;
}

/** Returns foreign keys between collections, sorted by constraint name, without duplicates. */
const usableKeys = ({ tables, many }: Context): ForeignKey[] => {
  const seen = new Set<string>();
  return [...many.table.foreignKeys]
    .sort((a, b) => compareText(a.name, b.name))
    .filter(({ columns, table, references }) => {
      const one = tables.get(table);
      const ends = JSON.stringify([columns, table, references]);
      if (one === undefined || seen.has(ends)) return false;
      seen.add(ends);
      return (
        columns.every((column) => many.columns.has(column)) && references.every((key) => one.columns.has(key))
      );
    });
};

/**
 * Names the links of foreign keys. The first key of a column, by constraint name, has the column's name. A
 * key of several columns, and any further key of a column, is named after its table, or
 * `<table>_by_<columns>` where that name is taken.
 */
const nameKeys = (
  { table, columns }: CollectionTable,
  keys: readonly ForeignKey[],
): Omit<Link, 'meta' | 'constrained'>[] => {
  const first = new Map<string, ForeignKey>();
  for (const key of keys) {
    const [column = ''] = key.columns;
    if (key.columns.length === 1 && !first.has(column)) first.set(column, key);
  }
  const hasColumnName = (key: ForeignKey): boolean => first.get(key.columns[0] ?? '') === key;
  const others = keys.filter((key) => !hasColumnName(key)).map((key) => key.table);
  return keys.map((key) => {
    const free = !columns.has(key.table) && others.filter((name) => name === key.table).length === 1;
    const otherName = free ? key.table : byColumns(key.table, key.columns);
    const name = hasColumnName(key) ? (key.columns[0] ?? '') : otherName;
    return { many: table.name, columns: key.columns, one: key.table, references: key.references, name };
  });
};

/** Returns a name such as `flights_by_origin`. */
export const byColumns = (table: string, columns: readonly string[]): string =>
  `${table}_by_${columns.join('_')}`;

const addMeta = (link: Omit<Link, 'meta' | 'constrained'>, context: Context): Link => ({
  ...link,
  meta: metaOfLink(link, context),
  constrained: true,
});

/** Returns the meta of a link; a foreign key overrides the target in the meta. */
const metaOfLink = (
  { name, many, one }: Omit<Link, 'meta' | 'constrained'>,
  { entries, findings }: Context,
): MetaEntry | null => {
  const entry = entries.get(name);
  const declared = textOf(entry, 'one_collection');
  if (entry === undefined || declared === null || declared === one) return entry ?? null;
  const message = `${many}.${name} points at "${one}" by its foreign key, not at "${declared}"`;
  report(findings, { ...sourceOfKey(entry, 'one_collection'), message, remedy: `write ${one} or nothing` });
  return entry;
};

/** Reads a relation without a foreign key. */
const readRelation = (field: string, entry: MetaEntry, context: Context): (Link | AnyLink)[] => {
  const { many, findings } = context;
  if (!many.columns.has(field)) {
    if (many.system?.has(field) === true) return [];
    const message = `"${many.table.name}" has no column "${field}"`;
    const remedy = suggest(field, many.columns.keys(), 'name the column that holds the key');
    report(findings, { ...sourceOfEntry(entry), message, remedy });
    return [];
  }
  return textOf(entry, 'one_collection_field') === null
    ? readToOne(field, entry, context)
    : readToAny(field, entry, context);
};

const readToOne = (field: string, entry: MetaEntry, { tables, many, findings }: Context): Link[] => {
  const target = textOf(entry, 'one_collection') ?? many.system?.get(field)?.references?.table ?? null;
  const one = target === null ? undefined : tables.get(target);
  const [key, ...more] = one?.table.primaryKey ?? [];
  if (target !== null && one !== undefined && key !== undefined && more.length === 0) {
    const link = { many: many.table.name, columns: [field], one: target, references: [key], name: field };
    return [{ ...link, meta: entry, constrained: false }];
  }
  report(findings, {
    ...sourceOfKey(entry, target === null ? '' : 'one_collection'),
    ...noTarget(field, { target, one, tables }),
  });
  return [];
};

interface MissingTarget {
  readonly target: string | null;
  readonly one: CollectionTable | undefined;
  readonly tables: Tables;
}

const noTarget = (field: string, { target, one, tables }: MissingTarget) => {
  if (target === null) {
    const message = `the relation of "${field}" has no target, and its column has no foreign key to a collection`;
    return { message, remedy: 'add one_collection, or one_collection_field and one_allowed_collections' };
  }
  if (one === undefined) {
    const message = `"${target}" is not a table`;
    return { message, remedy: suggest(target, tables.keys(), 'name a table of this database') };
  }
  return {
    message: `"${target}" has no primary key of one column`,
    remedy: 'use a foreign key, or drop this relation',
  };
};

const readToAny = (field: string, entry: MetaEntry, { tables, many, findings }: Context): AnyLink[] => {
  const collectionColumn = textOf(entry, 'one_collection_field') ?? '';
  if (!many.columns.has(collectionColumn)) {
    const message = `"${many.table.name}" has no column "${collectionColumn}"`;
    const remedy = suggest(collectionColumn, many.columns.keys(), 'name the column that says the collection');
    report(findings, { ...sourceOfKey(entry, 'one_collection_field'), message, remedy });
    return [];
  }
  const named = wordsOf(entry, 'one_allowed_collections');
  for (const target of named.filter((name) => tables.get(name)?.table.primaryKey?.length !== 1)) {
    const missing = noTarget(field, { target, one: tables.get(target), tables });
    report(findings, { ...sourceOfKey(entry, 'one_allowed_collections'), ...missing });
  }
  const targets = named.filter((name) => tables.get(name)?.table.primaryKey?.length === 1);
  return targets.length === 0 ? [] : [{ many: many.table.name, column: field, collectionColumn, targets }];
};
