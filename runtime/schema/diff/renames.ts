/** Renames that a snapshot asks for by `previous_name` in the meta of a collection or field. Pure. */
import { printNeutral } from '../expressions/print.js';
import { parseExpression } from '../expressions/parse.js';
import { neutralSyntax } from '../expressions/syntax.js';
import { isObject } from '../../../contract/objects.js';
import { renameColumns } from '../expressions/tree.js';
import { createPathRenamer, type PathRenamer } from './rename-paths.js';
import type {
  CheckEntry,
  CollectionEntry,
  FieldEntry,
  IndexEntry,
  Meta,
  RelationEntry,
  Snapshot,
} from '../snapshot/types.js';

export interface Renames {
  /** Former names by new name. */
  readonly collections: ReadonlyMap<string, string>;
  /** Former names by collection (its new name) and field, joined by NUL. */
  readonly fields: ReadonlyMap<string, string>;
}

/** Returns the name that an entry had before, or null. */
export const previousName = (meta: Meta | null | undefined): string | null =>
  typeof meta?.previous_name === 'string' ? meta.previous_name : null;

/** Finds renames: the target has the former name and lacks the new one, and the snapshot lacks the former. */
export const findRenames = (target: Snapshot, given: Snapshot): Renames => {
  const has = new Set(target.collections.map(({ collection }) => collection));
  const wants = new Set(given.collections.map(({ collection }) => collection));
  const collections = new Map<string, string>();
  for (const { collection, meta } of given.collections) {
    const from = previousName(meta);
    if (from !== null && has.has(from) && !has.has(collection) && !wants.has(from))
      collections.set(collection, from);
  }
  const fieldIds = new Set(target.fields.map(({ collection, field }) => `${collection}\0${field}`));
  const wantedIds = new Set(given.fields.map(({ collection, field }) => `${collection}\0${field}`));
  const fields = new Map<string, string>();
  for (const { collection, field, meta } of given.fields) {
    const from = previousName(meta);
    if (from === null) continue;
    const table = collections.get(collection) ?? collection;
    const isRename = fieldIds.has(`${table}\0${from}`) && !fieldIds.has(`${table}\0${field}`);
    if (isRename && !wantedIds.has(`${collection}\0${from}`)) fields.set(`${collection}\0${field}`, from);
  }
  return { collections, fields };
};

/**
 * Returns the snapshot with the new names wherever it still has a former one, such as in a list of unique constraints: the
 * former field or collection is not part of it, so that nothing else can be meant. Renames that are done count too.
 */
export const followPreviousNames = (given: Snapshot): Snapshot => {
  const names = new Set(given.collections.map(({ collection }) => collection));
  const ids = new Set(given.fields.map(({ collection, field }) => `${collection}\0${field}`));
  const collections = given.collections.flatMap(({ collection, meta }) => {
    const from = previousName(meta);
    return from === null || names.has(from) ? [] : [[collection, from] as const];
  });
  const tables = new Map(collections.map(([to, from]) => [from, to]));
  const fields = given.fields.flatMap(({ collection, field, meta }) => {
    const from = previousName(meta);
    if (from === null || ids.has(`${collection}\0${from}`)) return [];
    return [[`${tables.get(collection) ?? collection}\0${field}`, from] as const];
  });
  return applyRenames(given, { collections: new Map(collections), fields: new Map(fields) });
};

const strip = <Entry extends { readonly meta?: Meta | null }>(entry: Entry): Entry => {
  if (previousName(entry.meta) === null) return entry;
  const { previous_name: _wish, ...meta } = entry.meta ?? {};
  return { ...entry, meta };
};

/** Removes `previous_name`, which is a wish and no meta. */
export const withoutPreviousNames = (snapshot: Snapshot): Snapshot => {
  return { ...snapshot, collections: snapshot.collections.map(strip), fields: snapshot.fields.map(strip) };
};

/** Returns the snapshot as it will be after the renames, in every place that has the names. */
export const applyRenames = (snapshot: Snapshot, { collections, fields }: Renames): Snapshot => {
  if (collections.size + fields.size === 0) return snapshot;
  const tables = new Map([...collections].map(([to, from]) => [from, to]));
  const table = (name: string): string => tables.get(name) ?? name;
  /** New names of the fields of a collection, by former name. */
  const columnsOf = (collection: string): ReadonlyMap<string, string> =>
    new Map(
      [...fields].flatMap(([id, from]) => {
        const [owner = '', to = ''] = id.split('\0');
        return owner === table(collection) ? [[from, to] as const] : [];
      }),
    );
  const names: Names = {
    table,
    tableOrNull: (name) => (name === null ? null : table(name)),
    column: (collection, name) => columnsOf(collection).get(name) ?? name,
    columns: columnsOf,
  };
  const relations = snapshot.relations.map((entry) => renameRelation(entry, names));
  const paths = createPathRenamer(relations, { collections, fields });
  return {
    ...snapshot,
    collections: snapshot.collections.map((entry) =>
      renameInCollectionMeta(renameCollection(entry, names), paths),
    ),
    fields: snapshot.fields.map((entry) => renameInFieldMeta(renameField(entry, names), paths)),
    relations,
  };
};

interface Names {
  table(name: string): string;
  tableOrNull(name: string | null): string | null;
  /** @param collection its former name */
  column(collection: string, name: string): string;
  columns(collection: string): ReadonlyMap<string, string>;
}

/** Renames the values of the keys that hold a name, or a list of names. */
const renameKeys = (
  meta: Meta | null,
  keys: readonly string[],
  rename: (name: string) => string,
): Meta | null => {
  if (meta === null || meta === undefined) return null;
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed);
    return typeof value === 'string' ? rename(value) : value;
  };
  const entries = Object.entries(meta).map(([key, value]) => [
    key,
    keys.includes(key) ? renamed(value) : value,
  ]);
  return Object.fromEntries(entries) as Meta;
};

/** @param entry with its new name */
const renameInCollectionMeta = (entry: CollectionEntry, paths: PathRenamer): CollectionEntry => {
  const { collection, meta } = entry;
  const copied = renameKeys(meta, ['item_duplication_fields'], (text) => paths.path(text, collection));
  const shown = renameKeys(copied, ['display_template'], (text) => paths.template(text, collection));
  return { ...entry, meta: shown };
};

/** @param entry with its new name */
const renameInFieldMeta = (entry: FieldEntry, paths: PathRenamer): FieldEntry => {
  const { collection, meta } = entry;
  if (meta === null || meta === undefined) return entry;
  const { validation, conditions } = meta;
  const renameRule = (condition: unknown): unknown =>
    isObject(condition) && 'rule' in condition
      ? { ...condition, rule: paths.keys(condition.rule, collection) }
      : condition;
  return {
    ...entry,
    meta: {
      ...meta,
      ...(isObject(validation) && { validation: paths.keys(validation, collection) }),
      ...(Array.isArray(conditions) && { conditions: conditions.map(renameRule) }),
    },
  };
};

const renameCollection = (entry: CollectionEntry, names: Names): CollectionEntry => {
  const { collection, meta, schema } = entry;
  const column = (name: string): string => names.column(collection, name);
  const own = renameKeys(meta, ['archive_field', 'sort_field'], column);
  const withTables = renameKeys(own, ['collection', 'group'], names.table);
  if (schema === null || schema === undefined)
    return { ...entry, collection: names.table(collection), meta: withTables };
  const text = (sql: string): string => renameInText(sql, names.columns(collection));
  return {
    collection: names.table(collection),
    meta: withTables,
    schema: {
      ...schema,
      name: names.table(collection),
      ...(schema.primary_key !== undefined && { primary_key: schema.primary_key.map(column) }),
      ...(schema.uniques !== undefined && {
        uniques: schema.uniques.map((unique) => ({ ...unique, columns: unique.columns.map(column) })),
      }),
      ...(schema.indexes !== undefined && {
        indexes: schema.indexes.map((index) => renameIndex(index, column, text)),
      }),
      ...(schema.checks !== undefined && {
        checks: schema.checks.map((check) => renameCheck(check, text)),
      }),
    },
  };
};

const renameCheck = (check: CheckEntry, text: (sql: string) => string): CheckEntry => ({
  ...check,
  expression: text(check.expression),
});

const renameIndex = (
  index: IndexEntry,
  column: (name: string) => string,
  text: (sql: string) => string,
): IndexEntry => ({
  ...index,
  columns: index.columns.map((part) => {
    if (typeof part === 'string') return column(part);
    return {
      ...part,
      ...(part.column !== undefined && { column: column(part.column) }),
      ...(part.expression !== undefined && { expression: text(part.expression) }),
    };
  }),
  ...(index.predicate !== undefined && { predicate: text(index.predicate) }),
  ...(index.include !== undefined && { include: index.include.map(column) }),
});

/** Renames columns in an expression; one outside of the grammar stays as it is, as the database will say otherwise. */
const renameInText = (sql: string, columns: ReadonlyMap<string, string>): string => {
  if (columns.size === 0) return sql;
  const words = Array.from(sql.matchAll(/"((?:[^"]|"")+)"/g), ([, name = '']) => name.replaceAll('""', '"'));
  const kinds = new Map(words.map((name) => [name, 'other'] as const));
  const tree = parseExpression(sql, { columns: kinds, syntax: neutralSyntax });
  return tree === null ? sql : printNeutral(renameColumns(tree, columns));
};

const renameField = (entry: FieldEntry, names: Names): FieldEntry => {
  const { collection, field, meta, schema } = entry;
  const [table, name] = [names.table(collection), names.column(collection, field)];
  const own = renameKeys(
    renameKeys(meta, ['collection'], () => table),
    ['field'],
    () => name,
  );
  const grouped = renameKeys(own, ['group'], (group) => names.column(collection, group));
  const renamed = { ...entry, collection: table, field: name, meta: grouped };
  if (schema === undefined || schema === null) return renamed;
  const { foreign_key_table: target, foreign_key_column: column, generation_expression: expression } = schema;
  return {
    ...renamed,
    schema: {
      ...schema,
      name,
      table,
      generation_expression:
        typeof expression === 'string' ? renameInText(expression, names.columns(collection)) : null,
      foreign_key_table: names.tableOrNull(target),
      foreign_key_column: target === null || column === null ? column : names.column(target, column),
    },
  };
};

const renameRelation = (entry: RelationEntry, names: Names): RelationEntry => {
  const { collection, field, related_collection: related, meta, schema } = entry;
  const columns = (owner: string, list: readonly string[]): readonly string[] =>
    list.map((name) => names.column(owner, name));
  const own = renameKeys(
    meta,
    ['many_field', 'junction_field', 'sort_field', 'one_collection_field'],
    (name) => names.column(collection, name),
  );
  const withTables = renameKeys(
    own,
    ['many_collection', 'one_collection', 'one_allowed_collections'],
    names.table,
  );
  const withAlias =
    related === null
      ? withTables
      : renameKeys(withTables, ['one_field'], (name) => names.column(related, name));
  return {
    collection: names.table(collection),
    field: columns(collection, field.split(',')).join(','),
    related_collection: names.tableOrNull(related),
    meta: withAlias,
    schema:
      schema === null || schema === undefined
        ? null
        : {
            ...schema,
            table: names.table(schema.table),
            column: names.column(collection, schema.column),
            ...(schema.columns !== undefined && { columns: columns(collection, schema.columns) }),
            ...(schema.references !== undefined && {
              references: columns(schema.foreign_key_table, schema.references),
            }),
            foreign_key_table: names.table(schema.foreign_key_table),
            foreign_key_column: names.column(schema.foreign_key_table, schema.foreign_key_column),
          },
  };
};
