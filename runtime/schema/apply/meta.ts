/** Writes the meta of a snapshot to the meta tables. */
import { deleteRows, insertRow, type NewRow, type Statements } from '../../execute/system-rows.js';
import { canonicalJson } from '../../../contract/objects.js';
import { isList, knownKeys, notNull } from '../snapshot/meta.js';
import type { Meta, Snapshot } from '../snapshot/types.js';

type MetaTable = keyof typeof knownKeys;

type Rows = ReadonlyMap<string, Meta>;

/** Meta by the values of its key columns, in the order of `keys`. */
const rowsOf = (
  entries: readonly { readonly id: readonly string[]; readonly meta: Meta | null | undefined }[],
): Rows =>
  new Map(
    entries.flatMap(({ id, meta }) =>
      meta === null || meta === undefined ? [] : [[id.join('\0'), meta] as const],
    ),
  );

const metaRows = ({ collections, fields, relations }: Snapshot): Readonly<Record<MetaTable, Rows>> => ({
  svc_collections: rowsOf(collections.map(({ collection, meta }) => ({ id: [collection], meta }))),
  svc_fields: rowsOf(fields.map(({ collection, field, meta }) => ({ id: [collection, field], meta }))),
  svc_relations: rowsOf(relations.map(({ collection, field, meta }) => ({ id: [collection, field], meta }))),
});

const keyColumns: Readonly<Record<MetaTable, readonly string[]>> = {
  svc_collections: ['collection'],
  svc_fields: ['collection', 'field'],
  svc_relations: ['many_collection', 'many_field'],
};

/** Columns that hold JSON. */
const jsonKeys: ReadonlySet<string> = new Set([
  'item_duplication_fields',
  'translations',
  'conditions',
  'display_options',
  'options',
  'validation',
]);

/**
 * Makes the meta tables those of a snapshot. Rows that do not change are not written.
 * @param before the snapshot as the tables hold it, with former names
 */
export const writeMeta = async (statements: Statements, before: Snapshot, after: Snapshot): Promise<void> => {
  const [old, wanted] = [metaRows(before), metaRows(after)];
  for (const table of Object.keys(keyColumns) as MetaTable[]) {
    for (const [id, meta] of old[table]) {
      const next = wanted[table].get(id);
      if (next === undefined || canonicalJson(next) !== canonicalJson(meta))
        await deleteMeta(statements, table, id);
    }
    for (const [id, meta] of wanted[table]) {
      const last = old[table].get(id);
      if (last === undefined || canonicalJson(last) !== canonicalJson(meta)) {
        await insertRow(statements, table, toRow(table, id, meta) as unknown as NewRow<MetaTable>);
      }
    }
  }
};

const deleteMeta = async (statements: Statements, table: MetaTable, id: string): Promise<void> => {
  const values = id.split('\0');
  const where = Object.fromEntries(keyColumns[table].map((column, at) => [column, values[at] ?? '']));
  await deleteRows(statements, table, where);
};

const toRow = (table: MetaTable, id: string, meta: Meta): Record<string, unknown> => {
  const known: ReadonlySet<string> = knownKeys[table];
  const ids = id.split('\0');
  const keys = Object.fromEntries(keyColumns[table].map((column, at) => [column, ids[at] ?? '']));
  const others = Object.entries(meta).filter(
    ([key, value]) => !known.has(key) && value !== null && key !== 'id',
  );
  const columns = Object.entries(meta)
    .filter(([key]) => known.has(key) && !(key in keys))
    .map(([key, value]) => [key, toCell(key, value)] as const);
  return {
    ...keys,
    ...Object.fromEntries(columns),
    ...(others.length > 0 && { other: JSON.stringify(Object.fromEntries(others)) }),
  };
};

const toCell = (key: string, given: unknown): unknown => {
  const value = given ?? notNull[key] ?? null;
  if (value === null) return null;
  if (isList(key)) return Array.isArray(value) ? value.join(',') : String(value);
  if (jsonKeys.has(key)) return JSON.stringify(value);
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' ? JSON.stringify(value) : value;
};
