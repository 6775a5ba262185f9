import type { CatalogReader, Column, Meta, Table } from './catalog.js';
import type { DialectReader } from './dialect.js';
import { compareText } from '../../contract/text-order.js';

type MetaRow = Readonly<Record<string, unknown>>;

/** Reads the three meta tables, if they exist. */
export const readMeta = async (
  reader: CatalogReader,
  dialect: DialectReader,
  tables: readonly Table[],
): Promise<Meta> => {
  const read = async (name: string, order: readonly string[]): Promise<MetaRow[]> => {
    const table = tables.find((candidate) => candidate.name === name);
    if (table === undefined) return [];
    return rowsToMeta(await reader.query(metaStatement(table, order, dialect)), table, order);
  };
  return {
    collections: await read('svc_collections', ['collection']),
    fields: await read('svc_fields', ['collection', 'field']),
    relations: await read('svc_relations', ['many_collection', 'many_field']),
  };
};

const metaStatement = (table: Table, order: readonly string[], dialect: DialectReader): string => {
  const columns = table.columns.map((column) => {
    const name = dialect.quote(column.name);
    return column.type.kind === 'json' ? `${dialect.jsonToText(name)} AS ${name}` : name;
  });
  const keys = order.map(dialect.quote);
  return `SELECT ${columns.join(', ')} FROM ${dialect.quote(table.name)} ORDER BY ${keys.join(', ')}`;
};

/**
 * Converts rows to meta in the form of spec files: no surrogate `id`, no nulls, booleans and JSON as values.
 * Comma-separated columns stay text. Keys without a column of their own are beside the others.
 */
export const rowsToMeta = (
  rows: readonly Record<string, unknown>[],
  table: Pick<Table, 'name' | 'columns'>,
  order: readonly string[],
): MetaRow[] => {
  const compareRows = (a: MetaRow, b: MetaRow): number =>
    order.map((key) => compareText(String(a[key] ?? ''), String(b[key] ?? ''))).find(Boolean) ?? 0;
  return rows.map((row) => rowToMeta(row, table)).toSorted(compareRows);
};

const rowToMeta = (row: Record<string, unknown>, table: Pick<Table, 'name' | 'columns'>): MetaRow => {
  const entries = table.columns
    .filter((column) => column.name !== 'id')
    .map((column): [string, unknown] => [column.name, cellToValue(row[column.name], column, table.name)])
    .filter(([, value]) => value !== null);
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (name === others ? readOthers(value) : [[name, value]])),
  );
};

/** The column of keys that are not ours: a snapshot of another version or product may have them. */
const others = 'other';

const readOthers = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];

const cellToValue = (cell: unknown, column: Column, table: string): unknown => {
  if (cell === null || cell === undefined) return null;
  if (column.type.kind === 'boolean') return Number(cell) !== 0;
  if (column.type.kind === 'json') return parseJson(String(cell), `${table}.${column.name}`);
  return typeof cell === 'bigint' ? Number(cell) : cell;
};

const parseJson = (text: string, source: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${source} holds ${JSON.stringify(text)}, which is not JSON; correct or clear that row`);
  }
};
