/**
 * Catalog queries of SQLite: table-valued pragmas over the names of all tables at once, so that the number of
 * queries does not grow with the schema.
 */
import type { CatalogReader } from '../catalog.js';
import { readRows, type DialectReader } from '../dialect.js';
import { readSqliteDetails } from './details.js';
import { markTriggers, type TriggerRow } from '../triggers.js';
import { foldName } from './statement.js';
import {
  rowsToTables,
  type ColumnRow,
  type ForeignKeyRow,
  type IndexRow,
  type StatementRow,
  type TableRow,
} from './tables.js';
import { storedObjects } from './stored-objects.js';

/** Reads tables and views, without SQLite's own tables and the shadow tables of virtual ones. */
const tables = `
  SELECT name, type, wr AS withoutRowid, strict, ncol AS width
  FROM pragma_table_list
  WHERE schema = 'main' AND type IN ('table', 'view', 'virtual')
    AND substr(name, 1, 7) <> 'sqlite_'
  ORDER BY name`;

const statements = `
  SELECT type, name, sql
  FROM main.sqlite_schema
  WHERE type IN ('table', 'index') AND sql IS NOT NULL
  ORDER BY type, name`;

/** Reads columns; the bound value is the names of all tables as a JSON array. */
const columns = `
  SELECT t.value AS "table", c.name, c.type, c."notnull" AS "notNull", c.dflt_value AS defaultSql, c.pk AS "key",
    c.hidden
  FROM json_each(?) AS t CROSS JOIN pragma_table_xinfo(t.value, 'main') AS c
  ORDER BY t.key, c.cid`;

const foreignKeys = `
  SELECT t.value AS "table", f.id, f."table" AS target, f."from", f."to", f.on_update AS onUpdate,
    f.on_delete AS onDelete
  FROM json_each(?) AS t CROSS JOIN pragma_foreign_key_list(t.value, 'main') AS f
  ORDER BY t.key, f.id, f.seq`;

const indexes = `
  SELECT t.value AS "table", i.name, i."unique", i.origin, i.partial, c.name AS "column"
  FROM json_each(?) AS t CROSS JOIN pragma_index_list(t.value, 'main') AS i
    CROSS JOIN pragma_index_xinfo(i.name, 'main') AS c
  WHERE c.key = 1
  ORDER BY t.key, i.name, c.seqno`;

const triggers = `
  SELECT DISTINCT tbl_name AS "table"
  FROM main.sqlite_schema
  WHERE type = 'trigger'
  ORDER BY tbl_name`;

const columnNames = `SELECT name FROM pragma_table_xinfo(?, 'main') ORDER BY cid`;

/**
 * Drops tables that cannot be read: a view whose table is missing, or a virtual table whose module is not
 * loaded, fails every statement that uses it. If there is one, SQLite reports a width of 0 for it and some
 * others, so only those are tested one by one.
 */
const keepReadable = async (reader: CatalogReader, rows: readonly TableRow[]): Promise<TableRow[]> => {
  const readable: TableRow[] = [];
  for (const row of rows) {
    if (Number(row.width) > 0 || (await isReadable(reader, row.name))) readable.push(row);
  }
  return readable;
};

const isReadable = (reader: CatalogReader, name: string): Promise<boolean> =>
  reader.query(columnNames, [name]).then(
    () => true,
    () => false,
  );

export const sqlite: DialectReader = {
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
  jsonToText: (column) => column,
  keysBeforeInsert: false,
  // SQLite has five storage classes whatever the declaration; without one, a number may be stored as text
  nameType: ({ dbType }) => (dbType === '' ? dbType : null),
  readDetails: readSqliteDetails,
  storedObjects,
  readTables: async (reader, admits) => {
    const tableRows = await keepReadable(reader, await readRows<TableRow>(reader, tables));
    const names = [JSON.stringify(tableRows.map((table) => table.name))];
    const [statementRows, columnRows, foreignKeyRows, indexRows, triggerRows] = await Promise.all([
      readRows<StatementRow>(reader, statements),
      readRows<ColumnRow>(reader, columns, names),
      readRows<ForeignKeyRow>(reader, foreignKeys, names),
      readRows<IndexRow>(reader, indexes, names),
      readRows<TriggerRow>(reader, triggers),
    ]);
    const all = rowsToTables({
      tables: tableRows,
      statements: statementRows,
      columns: columnRows,
      foreignKeys: foreignKeyRows,
      indexes: indexRows,
    });
    const triggered = new Set(triggerRows.map(({ table }) => foldName(table)));
    return markTriggers(all, (name) => triggered.has(foldName(name))).filter((table) => admits(table.name));
  },
};
