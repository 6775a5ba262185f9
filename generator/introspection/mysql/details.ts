/** Reads the facts for snapshots from information_schema of MySQL and MariaDB. */
import type { CatalogReader } from '../catalog.js';
import type { ColumnDetails, IndexDetails, SchemaDetails, TableDetails } from '../details.js';
import { readRows, type Count } from '../dialect.js';
import { groupBy, sortBy } from '../order.js';
import { readLength, readValues, toNumber } from './columns.js';
import { toMariaDbColumn, unescapeExpression } from './mariadb-form.js';
import { readParsers, readProperties } from './properties.js';
import { readWideChecks, readWideColumns, type WideColumn } from './wide-characters.js';

interface DefaultRow {
  readonly charset: string;
  readonly collation: string;
}

interface TableRow {
  readonly name: string;
  readonly collation: string | null;
  readonly engine: string | null;
  readonly type: string;
  readonly options: string | null;
}

interface ColumnRow extends WideColumn {
  readonly length: Count | null;
  readonly precision: Count | null;
  readonly scale: Count | null;
  readonly fraction: Count | null;
  readonly collation: string | null;
  /** SRID of a geometry. */
  readonly srid: Count | null;
}

interface IndexRow {
  readonly table: string;
  readonly name: string;
  readonly nonUnique: Count;
  readonly column: string | null;
  readonly prefix: Count | null;
  readonly expression: string | null;
  /** `A` ascending, `D` descending. */
  readonly direction: string | null;
  readonly method: string;
  /** 1: the optimizer ignores it. */
  readonly ignored: Count;
}

interface CheckRow {
  readonly table: string;
  readonly name: string;
  readonly clause: string;
  /** `YES` or `NO`. */
  readonly enforced: string;
}

interface KeyRow {
  readonly table: string;
  readonly name: string;
  readonly column: string;
}

const defaults = `
  SELECT default_character_set_name AS charset, default_collation_name AS collation
  FROM information_schema.schemata
  WHERE schema_name = DATABASE()`;

const tables = `
  SELECT table_name AS name, table_collation AS collation, engine AS engine, table_type AS type,
    create_options AS options
  FROM information_schema.tables
  WHERE table_schema = DATABASE() AND table_type <> 'VIEW'
  ORDER BY table_name`;

const columns = (srid: string): string => `
  SELECT table_name AS \`table\`, column_name AS name, column_type AS columnType, data_type AS dataType,
    ${srid} AS srid, character_maximum_length AS length, numeric_precision AS \`precision\`, numeric_scale AS scale,
    datetime_precision AS fraction, collation_name AS collation, extra AS extra, column_default AS defaultSql,
    generation_expression AS generation
  FROM information_schema.columns
  WHERE table_schema = DATABASE()
  ORDER BY table_name, ordinal_position`;

const indexes = ({ expression, ignored }: DetailQueries): string => `
  SELECT table_name AS \`table\`, index_name AS name, non_unique AS nonUnique, column_name AS \`column\`,
    sub_part AS prefix, ${expression} AS expression, collation AS direction, index_type AS method, ${ignored} AS ignored
  FROM information_schema.statistics
  WHERE table_schema = DATABASE() AND index_name <> 'PRIMARY'
  ORDER BY table_name, index_name, seq_in_index`;

const keys = `
  SELECT table_name AS \`table\`, constraint_name AS name, column_name AS \`column\`
  FROM information_schema.key_column_usage
  WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL
  ORDER BY table_name, constraint_name, ordinal_position`;

/** Queries in which the servers differ. */
export interface DetailQueries {
  /** SQL for the expression of an indexed part. */
  readonly expression: string;
  /** SQL for whether the optimizer ignores an index. */
  readonly ignored: string;
  /** True where information_schema has all characters of expressions. */
  readonly showsExpressions: boolean;
  /** SQL for the SRID of a column. */
  readonly srid: string;
  /** Query of the columns with an SRID, where the columns themselves do not tell; null where they do. */
  readonly systems: string | null;
  readonly checks: string;
  /** Returns a column with SQL as MariaDB has it. */
  toMariaDb(row: ColumnRow): ColumnRow;
  /** Returns the SQL of an expression as it was written. */
  unescape(sql: string): string;
}

export const mariadbQueries: DetailQueries = {
  srid: 'NULL',
  // the only place that has them; read only where there is a geometry, as the server opens each table for it
  systems: `
    SELECT g_table_name AS \`table\`, g_geometry_column AS name, srid
    FROM information_schema.geometry_columns
    WHERE g_table_schema = DATABASE() AND srid <> 0`,
  expression: 'NULL',
  ignored: `ignored = 'YES'`,
  showsExpressions: false,
  toMariaDb: (row) => row,
  unescape: (sql) => sql,
  // a check of a column has no name of its own
  checks: `
    SELECT table_name AS \`table\`, constraint_name AS name, check_clause AS clause, 'YES' AS enforced
    FROM information_schema.check_constraints
    WHERE constraint_schema = DATABASE()
    ORDER BY table_name, constraint_name`,
};

export const mysqlQueries: DetailQueries = {
  srid: 'srs_id',
  systems: null,
  expression: 'expression',
  ignored: `is_visible = 'NO'`,
  showsExpressions: true,
  toMariaDb: toMariaDbColumn,
  unescape: unescapeExpression,
  checks: `
    SELECT t.table_name AS \`table\`, c.constraint_name AS name, c.check_clause AS clause, t.enforced AS enforced
    FROM information_schema.check_constraints c
      JOIN information_schema.table_constraints t
        ON t.constraint_schema = c.constraint_schema AND t.constraint_name = c.constraint_name
        AND t.constraint_type = 'CHECK'
    WHERE c.constraint_schema = DATABASE()
    ORDER BY t.table_name, c.constraint_name`,
};

/** Reads the details of all tables at once; `queries` are the parts in which MySQL and MariaDB differ. */
export const readMysqlDetails = async (
  reader: CatalogReader,
  queries: DetailQueries,
): Promise<SchemaDetails> => {
  const [[database], tableRows, shownColumns, indexRows, shownChecks, keyRows] = await Promise.all([
    readRows<DefaultRow>(reader, defaults),
    readRows<TableRow>(reader, tables),
    readRows<ColumnRow>(reader, columns(queries.srid)),
    readRows<IndexRow>(reader, indexes(queries)),
    readRows<CheckRow>(reader, queries.checks),
    readRows<KeyRow>(reader, keys),
  ]);
  const [systemOf, parsed] = await Promise.all([
    readSystems(reader, shownColumns, queries),
    readParsers(reader, indexRows),
  ]);
  const unread = new Set<string>();
  const context = { reader, showsExpressions: queries.showsExpressions, unread };
  const columnRows = await readWideColumns(shownColumns.map(queries.toMariaDb), context);
  const checkRows = await readWideChecks(shownChecks, context);
  const [columnsOf, indexesOf, checksOf, keysOf] = [
    groupBy(columnRows, (row) => row.table),
    groupBy(indexRows, (row) => row.table),
    groupBy(checkRows, (row) => row.table),
    groupBy(keyRows, (row) => row.table),
  ];
  const toTable = (row: TableRow): [string, TableDetails] => {
    const { name, collation } = row;
    const own = collation === database?.collation ? null : collation;
    return [
      name,
      {
        charset: own === null ? null : charsetOf(own),
        collation: own,
        ...readProperties({ ...row, isUnread: unread.has(name) }),
        checks: readChecks(checksOf.get(name) ?? [], queries),
        indexes: readIndexes(indexesOf.get(name) ?? [], keysOf.get(name) ?? [], queries).map((index) =>
          parsed.has(`${name}\0${index.name}`) ? Object.assign({}, index, { incomplete: true }) : index,
        ),
        columns: new Map(
          (columnsOf.get(name) ?? []).map((column) => [
            column.name,
            toColumn(column, { collation, srid: systemOf(column) }),
          ]),
        ),
      },
    ];
  };
  return {
    charset: database?.charset ?? null,
    collation: database?.collation ?? null,
    tables: new Map(tableRows.map(toTable)),
  };
};

const charsetOf = (collation: string): string => collation.split('_')[0] ?? collation;

const geometry = /^(?:geometry|(?:multi)?(?:point|linestring|polygon)|geom(?:etry)?collection)$/;

/** Returns the SRID of a geometry, null: any; undefined for other columns. */
const readSystems = async (
  reader: CatalogReader,
  columnRows: readonly ColumnRow[],
  { systems }: DetailQueries,
): Promise<(row: ColumnRow) => number | null | undefined> => {
  const geometries = columnRows.filter(({ dataType }) => geometry.test(dataType));
  const rows =
    systems === null || geometries.length === 0
      ? geometries
      : await readRows<Pick<ColumnRow, 'table' | 'name' | 'srid'>>(reader, systems);
  const found = new Map(rows.map(({ table, name, srid }) => [`${table}\0${name}`, toNumber(srid)]));
  return ({ table, name, dataType }) =>
    geometry.test(dataType) ? (found.get(`${table}\0${name}`) ?? null) : undefined;
};

interface ColumnFacts {
  /** Default collation of the table. */
  readonly collation: string | null;
  readonly srid: number | null | undefined;
}

const toColumn = (row: ColumnRow, { collation, srid }: ColumnFacts): ColumnDetails => {
  const { columnType, dataType } = row;
  const isBoolean = columnType.startsWith('tinyint(1)');
  const attributes = /\bunsigned\b.*$/.exec(columnType)?.[0];
  const hasCollation = row.collation !== null && row.collation !== collation;
  const isBlob = /^(?:tiny|medium|long)?(?:text|blob)$/.test(dataType);
  return {
    dataType: isBoolean ? 'boolean' : attributes === undefined ? dataType : `${dataType} ${attributes}`,
    length: isBlob ? null : readLength(row),
    precision: toNumber(row.precision),
    scale: toNumber(row.scale),
    fraction: toNumber(row.fraction) || null,
    values: dataType === 'enum' || dataType === 'set' ? readValues(columnType) : null,
    ...(srid !== undefined && { srid }),
    ...(/\binvisible\b/i.test(row.extra) && { invisible: true }),
    collation: hasCollation ? row.collation : null,
    identity: row.extra.includes('auto_increment') ? 'counter' : null,
  };
};

/** Omits the check by which MariaDB recognizes JSON, which the type stands for. */
const readChecks = (rows: readonly CheckRow[], { unescape }: DetailQueries): TableDetails['checks'] =>
  rows
    .filter(({ name, clause }) => clause !== `json_valid(\`${name.replaceAll('`', '``')}\`)`)
    .map(({ name, clause, enforced }) =>
      enforced === 'NO' ? { name, sql: unescape(clause), enforced: false } : { name, sql: unescape(clause) },
    );

/** Omits the indexes that the server creates for foreign keys, as it will create them again. */
const readIndexes = (
  rows: readonly IndexRow[],
  keyRows: readonly KeyRow[],
  queries: DetailQueries,
): IndexDetails[] => {
  const keyColumns = new Map(
    [...groupBy(keyRows, (row) => row.name)].map(([name, parts]) => [
      name,
      parts.map((row) => row.column).join('\0'),
    ]),
  );
  return sortBy([...groupBy(rows, (row) => row.name)], ([name]) => name)
    .filter(([name, parts]) => keyColumns.get(name) !== parts.map((row) => row.column).join('\0'))
    .map(([name, parts]) => toIndex(name, parts, queries));
};

const toIndex = (name: string, rows: readonly IndexRow[], { unescape }: DetailQueries): IndexDetails => {
  const method = rows[0]?.method.toLowerCase() ?? 'btree';
  const unique = rows.every((row) => Number(row.nonUnique) === 0);
  return {
    name,
    unique,
    constraint: unique,
    method: method === 'btree' ? null : method,
    parts: rows.map(({ column, expression, direction, prefix }) => ({
      column,
      sql: expression === null ? null : unescape(expression),
      descending: direction === 'D',
      length: method === 'spatial' ? null : toNumber(prefix),
    })),
    predicate: null,
    include: [],
    incomplete: Number(rows[0]?.ignored) === 1,
  };
};
