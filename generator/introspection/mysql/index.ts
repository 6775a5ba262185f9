/**
 * Catalog queries of MySQL and MariaDB. Each reads one information_schema view by schema name alone, so that the server
 * opens every table once; views are joined in memory, never by the server.
 */
import type { CatalogReader } from '../catalog.js';
import { readRows, type DialectReader } from '../dialect.js';
import { mariadbQueries, mysqlQueries, readMysqlDetails } from './details.js';
import { toMariaDbColumn, toMariaDbIndexColumn } from './mariadb-form.js';
import {
  rowsToTables,
  type CatalogRows,
  type CheckRow,
  type ColumnRow,
  type KeyColumnRow,
  type ReferenceRow,
  type StatisticsRow,
  type TableRow,
} from './tables.js';
import { quote } from './quoting.js';
import { readWideColumns } from './wide-characters.js';
import type { TableFilter } from '../patterns.js';
import { markTriggers, type TriggerRow } from '../triggers.js';
import { storedObjects } from './stored-objects.js';

const tables = `
  SELECT table_name AS name, table_type AS type, table_comment AS comment
  FROM information_schema.tables
  WHERE table_schema = DATABASE()
  ORDER BY table_name`;

/** @param srid SQL for the system of coordinates of a column */
const columns = (srid: string): string => `
  SELECT table_name AS \`table\`, column_name AS name, column_type AS columnType, data_type AS dataType,
    is_nullable AS nullable, column_default AS defaultSql, extra AS extra, character_maximum_length AS length,
    numeric_precision AS \`precision\`, numeric_scale AS scale, datetime_precision AS fraction,
    generation_expression AS generation, ${srid} AS srid, collation_name AS collation, column_comment AS comment
  FROM information_schema.columns
  WHERE table_schema = DATABASE()
  ORDER BY table_name, ordinal_position`;

const statistics = (expression: string): string => `
  SELECT table_name AS \`table\`, index_name AS name, non_unique AS nonUnique, column_name AS \`column\`,
    sub_part AS prefix, ${expression} AS expression
  FROM information_schema.statistics
  WHERE table_schema = DATABASE()
  ORDER BY table_name, index_name, seq_in_index`;

const keyColumns = `
  SELECT table_name AS \`table\`, constraint_name AS name, column_name AS \`column\`,
    referenced_table_schema = DATABASE() AS sameSchema, referenced_table_name AS referencedTable,
    referenced_column_name AS referencedColumn
  FROM information_schema.key_column_usage
  WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL
  ORDER BY table_name, constraint_name, ordinal_position`;

const references = `
  SELECT table_name AS \`table\`, constraint_name AS name, update_rule AS onUpdate, delete_rule AS onDelete
  FROM information_schema.referential_constraints
  WHERE constraint_schema = DATABASE()
  ORDER BY table_name, constraint_name`;

/** Reads the check constraints of columns, which have the column's name. MySQL has only those of tables. */
const checks = `
  SELECT table_name AS \`table\`, constraint_name AS \`column\`, check_clause AS clause
  FROM information_schema.check_constraints
  WHERE constraint_schema = DATABASE() AND level = 'Column'
  ORDER BY table_name, constraint_name`;

/** The current user as the privilege views write it. */
const grantee = `CONCAT('''', SUBSTRING_INDEX(CURRENT_USER(), '@', 1), '''@''', SUBSTRING_INDEX(CURRENT_USER(), '@', -1), '''')`;

/**
 * Reads the tables with triggers, and an empty name if the user may see all triggers: the server lists those of tables on
 * which the user has the right TRIGGER.
 */
const triggers = `
  SELECT DISTINCT event_object_table AS \`table\`
  FROM information_schema.triggers
  WHERE event_object_schema = DATABASE()
  UNION
  SELECT '' AS \`table\` FROM information_schema.user_privileges
  WHERE privilege_type = 'TRIGGER' AND grantee = ${grantee}
  UNION
  SELECT '' AS \`table\` FROM information_schema.schema_privileges
  WHERE privilege_type = 'TRIGGER' AND grantee = ${grantee} AND DATABASE() LIKE table_schema
  ORDER BY \`table\``;

/** Returns a test of whether a table may have triggers. */
const readTriggers = async (reader: CatalogReader): Promise<(table: string) => boolean> => {
  const names = new Set((await readRows<TriggerRow>(reader, triggers)).map(({ table }) => table));
  return (table) => !names.has('') || names.has(table);
};

/** Reads all views. `expression` and `srid`: SQL for the expression of an indexed part, and for the system of a column. */
const readViews = async (
  reader: CatalogReader,
  {
    admits,
    expression,
    srid,
  }: Readonly<Record<'expression' | 'srid', string>> & { readonly admits: TableFilter },
): Promise<CatalogRows> => {
  const [tableRows, columnRows, statisticsRows, keyColumnRows, referenceRows] = await Promise.all([
    readRows<TableRow>(reader, tables),
    readRows<ColumnRow>(reader, columns(srid)),
    readRows<StatisticsRow>(reader, statistics(expression)),
    readRows<KeyColumnRow>(reader, keyColumns),
    readRows<ReferenceRow>(reader, references),
  ]);
  return {
    tables: tableRows.filter((table) => admits(table.name)),
    columns: columnRows.filter(({ table }) => admits(table)),
    statistics: statisticsRows,
    keyColumns: keyColumnRows,
    references: referenceRows,
    checks: [],
  };
};

/** Types that SQL treats differently from the field type that they are read as. */
const ownTypes = /^(?:bit|enum|float|float4|inet|inet4|inet6|real|set|uuid|year)\b/i;

const common: Omit<DialectReader, 'readTables' | 'readDetails'> = {
  storedObjects,
  quote,
  jsonToText: (column) => `CAST(${column} AS CHAR)`,
  keysBeforeInsert: false,
  nameType({ type, dbType }) {
    // declared as JSON in meta only: the database does not validate it
    if (type === 'json') return /^json$/i.test(dbType) ? null : dbType;
    return ownTypes.exec(dbType)?.[0].toLowerCase() ?? null;
  },
};

export const mariadb: DialectReader = {
  ...common,
  readDetails: (reader) => readMysqlDetails(reader, mariadbQueries),
  readTables: async (reader, admits) => {
    const [rows, checkRows, hasTriggers] = await Promise.all([
      readViews(reader, { admits, expression: 'NULL', srid: 'NULL' }),
      readRows<CheckRow>(reader, checks),
      readTriggers(reader),
    ]);
    const context = { reader, showsExpressions: false, unread: new Set<string>() };
    const columnRows = await readWideColumns(rows.columns, context);
    return markTriggers(rowsToTables({ ...rows, columns: columnRows, checks: checkRows }), hasTriggers);
  },
};

export const mysql: DialectReader = {
  ...common,
  readDetails: (reader) => readMysqlDetails(reader, mysqlQueries),
  keysBeforeInsert: true,
  readTables: async (reader, admits) => {
    const [rows, hasTriggers] = await Promise.all([
      readViews(reader, { admits, expression: 'expression', srid: 'srs_id' }),
      readTriggers(reader),
    ]);
    const context = { reader, showsExpressions: true, unread: new Set<string>() };
    const all = rowsToTables({
      ...rows,
      columns: await readWideColumns(rows.columns.map(toMariaDbColumn), context),
      statistics: rows.statistics.map(toMariaDbIndexColumn),
    });
    return markTriggers(all, hasTriggers);
  },
};
