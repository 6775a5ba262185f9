/** Reads the facts for snapshots from SQLite's pragmas and statements. */
import type { CatalogReader } from '../catalog.js';
import type { ColumnDetails, IndexDetails, SchemaDetails, TableDetails } from '../details.js';
import { readRows, type Count } from '../dialect.js';
import { groupBy, sortBy } from '../order.js';
import {
  foldName,
  readIndexTerms,
  readPredicate,
  readTableStatement,
  type TableStatement,
} from './statement.js';

interface StatementRow {
  readonly type: 'table' | 'index' | 'trigger';
  readonly name: string;
  readonly table: string;
  readonly sql: string;
}

interface ColumnRow {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly key: Count;
}

interface IndexRow {
  readonly table: string;
  readonly name: string;
  readonly unique: Count;
  readonly origin: 'c' | 'u' | 'pk';
  readonly column: string | null;
  readonly descending: Count;
  readonly collation: string;
}

const statements = `
  SELECT type, name, tbl_name AS "table", sql
  FROM main.sqlite_schema
  WHERE type IN ('table', 'index', 'trigger') AND sql IS NOT NULL AND substr(name, 1, 7) <> 'sqlite_'
  ORDER BY type, name`;

/** Reads columns; the bound value is the names of all tables as a JSON array. */
const columns = `
  SELECT t.value AS "table", c.name, c.type, c.pk AS "key"
  FROM json_each(?) AS t CROSS JOIN pragma_table_xinfo(t.value, 'main') AS c
  ORDER BY t.key, c.cid`;

const indexes = `
  SELECT t.value AS "table", i.name, i."unique", i.origin, c.name AS "column", c.desc AS descending,
    c.coll AS collation
  FROM json_each(?) AS t CROSS JOIN pragma_index_list(t.value, 'main') AS i
    CROSS JOIN pragma_index_xinfo(i.name, 'main') AS c
  WHERE c.key = 1
  ORDER BY t.key, i.name, c.seqno`;

/**
 * Reads the details of all tables but virtual ones. What pragmas do not know is read from the `create`
 * statements.
 */
export const readSqliteDetails = async (reader: CatalogReader): Promise<SchemaDetails> => {
  const statementRows = await readRows<StatementRow>(reader, statements);
  const created = statementRows.filter(
    ({ type, sql }) => type === 'table' && !/^create\s+virtual/i.test(sql),
  );
  const names = [JSON.stringify(created.map(({ name }) => name))];
  const [columnRows, indexRows] = await Promise.all([
    readRows<ColumnRow>(reader, columns, names),
    readRows<IndexRow>(reader, indexes, names),
  ]);
  const columnsOf = groupBy(columnRows, (row) => row.table);
  const indexesOf = groupBy(indexRows, (row) => row.table);
  const sqlOf = new Map(
    statementRows.filter(({ type }) => type === 'index').map(({ name, sql }) => [name, sql]),
  );
  return {
    charset: null,
    collation: null,
    tables: new Map(
      created.map(({ name, sql }) => {
        const statement = readTableStatement(sql);
        const ownColumns = columnsOf.get(name) ?? [];
        const isRowId = ownColumns.filter(({ key }) => Number(key) > 0).length === 1;
        const details: TableDetails = {
          charset: null,
          collation: null,
          ...(statement.hasUnread === true && { incomplete: ['it has clauses ON CONFLICT or COLLATE'] }),
          checks: statement.checks,
          indexes: readIndexes(indexesOf.get(name) ?? [], { table: name, sqlOf, statement }),
          triggers: statementRows
            .filter(({ type, table }) => type === 'trigger' && foldName(table) === foldName(name))
            .map((row) => row.sql),
          columns: new Map(ownColumns.map((row) => [row.name, toColumn(row, statement, isRowId)])),
        };
        return [name, details];
      }),
    ),
  };
};

/** Types whose numbers in parentheses are digits. */
const numeric = /NUMERIC|DEC|NUM|MONEY/i;
const temporal = /TIME/i;

const toColumn = (row: ColumnRow, statement: TableStatement, hasOneKey: boolean): ColumnDetails => {
  const [modifier = '', first, second] = /\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)$/.exec(row.type) ?? [];
  const dataType = row.type.slice(0, row.type.length - modifier.length);
  const size = first === undefined ? null : Number(first);
  const isNumeric = numeric.test(dataType);
  const isTemporal = temporal.test(dataType);
  const isKey = Number(row.key) > 0 && hasOneKey && /^integer$/i.test(row.type);
  return {
    dataType,
    length: isNumeric || isTemporal ? null : size,
    precision: isNumeric ? size : null,
    scale: isNumeric && second !== undefined ? Number(second) : null,
    fraction: isTemporal ? size : null,
    values: null,
    collation: statement.collations.get(foldName(row.name)) ?? null,
    identity: isKey ? (statement.autoincrement ? 'autoincrement' : 'rowid') : null,
  };
};

interface IndexSource {
  readonly table: string;
  /** `CREATE INDEX` by name of the index. */
  readonly sqlOf: ReadonlyMap<string, string>;
  readonly statement: TableStatement;
}

const readIndexes = (rows: readonly IndexRow[], source: IndexSource): IndexDetails[] => {
  const groups = [...groupBy(rows, (row) => row.name)].filter(([, [first]]) => first?.origin !== 'pk');
  return sortBy(
    groups.map(([name, parts]) => toIndex(name, parts, source)),
    ({ name }) => name,
  );
};

const toIndex = (name: string, rows: readonly IndexRow[], source: IndexSource): IndexDetails => {
  const constraint = rows[0]?.origin === 'u';
  const sql = source.sqlOf.get(name) ?? '';
  const texts = readIndexTerms(sql);
  return {
    name: constraint ? nameConstraint(rows, source) : name,
    unique: rows.every((row) => Number(row.unique) === 1),
    constraint,
    method: null,
    parts: rows.map(({ column, descending }, at) => ({
      column,
      sql: column === null ? (texts[at] ?? '') : null,
      descending: Number(descending) === 1,
      length: null,
    })),
    predicate: readPredicate(sql),
    include: [],
    incomplete: texts.some((text) => /\scollate\s/i.test(text)),
  };
};

const nameConstraint = (rows: readonly IndexRow[], { table, statement }: IndexSource): string => {
  const names = rows.map(({ column }) => column ?? '');
  const key = foldName(names.join('\0'));
  const written = statement.uniques.find((unique) => foldName(unique.columns.join('\0')) === key);
  return written?.name ?? [table, ...names, 'unique'].join('_');
};
