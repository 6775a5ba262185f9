/** Reads the facts for snapshots from PostgreSQL's catalogs. */
import type { CatalogReader } from '../catalog.js';
import type { ColumnDetails, IndexDetails, SchemaDetails, TableDetails } from '../details.js';
import { readRows, type Count } from '../dialect.js';
import { groupBy } from '../order.js';
import { readProperties } from './properties.js';
import { readDeferrable } from './tables.js';

interface TableRow {
  readonly name: string;
  /** Time at which the primary key is checked; null without one. */
  readonly deferrable: Count | null;
  readonly deferred: Count | null;
}

interface ColumnRow {
  readonly table: string;
  readonly name: string;
  /** `character varying(20)`; a domain has its own name. */
  readonly dbType: string;
  /** Labels of an enum of the schema, or of one whose arrays the column holds; an enum of another schema stays as it is. */
  readonly labels: string | null;
  /** Collation, if it is not that of the type. */
  readonly collation: string | null;
  readonly identity: string;
  readonly serial: Count;
}

interface TypeRow {
  readonly name: string;
  readonly labels: string | null;
}

interface IndexRow {
  readonly table: string;
  readonly name: string;
  readonly unique: Count;
  readonly constraint: Count;
  /** Null for an index without a constraint. */
  readonly deferrable: Count | null;
  readonly deferred: Count | null;
  readonly method: string;
  /** True where it has operator classes or collations that are not the usual ones, or an unusual order of nulls. */
  readonly unusual: Count;
  readonly predicate: string | null;
  readonly column: string | null;
  readonly expression: string;
  readonly descending: Count;
  /** True where the column is part of the key. */
  readonly key: Count;
}

interface CheckRow {
  readonly table: string;
  readonly name: string;
  readonly sql: string;
}

const own = `
  own AS (
    SELECT c.oid, c.relname
    FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
      AND NOT c.relispartition
      AND NOT EXISTS (
        SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
      )
  )`;

const tables = `
  WITH ${own}
  SELECT t.relname AS name, k.condeferrable::int AS deferrable, k.condeferred::int AS deferred
  FROM own t LEFT JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype = 'p'
  ORDER BY t.relname COLLATE "C"`;

const columns = `
  WITH ${own}
  SELECT t.relname AS "table", a.attname AS name, format_type(a.atttypid, a.atttypmod) AS "dbType",
    (SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e
      WHERE y.typnamespace = current_schema()::regnamespace AND e.enumtypid = CASE WHEN y.typcategory = 'A' AND y.typtype = 'b' THEN y.typelem ELSE y.oid END)::text AS labels,
    CASE WHEN a.attcollation <> y.typcollation THEN
      (SELECT collname FROM pg_collation WHERE oid = a.attcollation)
    END AS collation,
    a.attidentity AS identity,
    CASE WHEN EXISTS (
      SELECT FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
      WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid
        AND d.refobjsubid = a.attnum AND d.deptype = 'a'
    ) THEN 1 ELSE 0 END AS serial
  FROM own t
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type y ON y.oid = a.atttypid
  ORDER BY t.relname COLLATE "C", a.attnum`;

const indexes = `
  WITH ${own}
  SELECT t.relname AS "table", c.relname AS name, i.indisunique::int AS "unique",
    (u.oid IS NOT NULL)::int AS "constraint", u.condeferrable::int AS deferrable, u.condeferred::int AS deferred,
    m.amname AS method,
    (NOT coalesce(o.opcdefault, true) OR i.indisexclusion OR c.reloptions IS NOT NULL
      OR coalesce((to_jsonb(i) ->> 'indnullsnotdistinct')::boolean, false)
      OR (u.oid IS NOT NULL AND i.indnatts > i.indnkeyatts)
      OR (p.attcollation IS NOT NULL AND i.indcollation[k.position - 1] <> p.attcollation)
      OR (i.indoption[k.position - 1] & 3) IN (1, 2))::int AS unusual,
    pg_get_expr(i.indpred, i.indrelid) AS predicate, p.attname AS "column",
    pg_get_indexdef(i.indexrelid, k.position, false) AS expression,
    (coalesce(i.indoption[k.position - 1], 0) & 1)::int AS descending, (k.position <= i.indnkeyatts)::int AS key
  FROM own t
    JOIN pg_index i ON i.indrelid = t.oid AND i.indisvalid AND NOT i.indisprimary
    JOIN pg_class c ON c.oid = i.indexrelid
    JOIN pg_am m ON m.oid = c.relam
    LEFT JOIN pg_constraint u ON u.conindid = i.indexrelid AND u.contype IN ('u', 'x')
    CROSS JOIN LATERAL generate_series(1, i.indnatts) AS k (position)
    LEFT JOIN pg_attribute p ON p.attrelid = t.oid AND p.attnum = i.indkey[k.position - 1] AND p.attnum > 0
    LEFT JOIN pg_opclass o ON o.oid = i.indclass[k.position - 1]
  ORDER BY t.relname COLLATE "C", c.relname COLLATE "C", k.position`;

const checks = `
  WITH ${own}
  SELECT t.relname AS "table", c.conname AS name, pg_get_expr(c.conbin, c.conrelid) AS sql
  FROM own t JOIN pg_constraint c ON c.conrelid = t.oid AND c.contype = 'c'
  ORDER BY t.relname COLLATE "C", c.conname COLLATE "C"`;

// a table is a composite type too, and each type has one of its arrays
const types = `
  SELECT format_type(y.oid, NULL) AS name,
    (SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = y.oid)::text AS labels
  FROM pg_type y
  WHERE y.typnamespace = current_schema()::regnamespace AND y.typisdefined AND y.typtype <> 'p'
    AND NOT (y.typtype = 'b' AND y.typcategory = 'A')
    AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = y.typrelid AND c.relkind <> 'c')
  ORDER BY y.typname COLLATE "C"`;

/** Reads the details of all tables of the current schema at once, and its types. */
export const readPostgresDetails = async (reader: CatalogReader): Promise<SchemaDetails> => {
  const [tableRows, columnRows, indexRows, checkRows, typeRows, incompleteOf] = await Promise.all([
    readRows<TableRow>(reader, tables),
    readRows<ColumnRow>(reader, columns),
    readRows<IndexRow>(reader, indexes),
    readRows<CheckRow>(reader, checks),
    readRows<TypeRow>(reader, types),
    readProperties(reader, own),
  ]);
  const columnsOf = groupBy(columnRows, (row) => row.table);
  const indexesOf = groupBy(indexRows, (row) => row.table);
  const checksOf = groupBy(checkRows, (row) => row.table);
  return {
    charset: null,
    collation: null,
    types: new Map(typeRows.map(({ name, labels }) => [name, readLabels(labels)])),
    tables: new Map(
      tableRows.map(({ name, ...key }) => [
        name,
        {
          ...toKeyDeferrable(key),
          ...incompleteOf(name),
          charset: null,
          collation: null,
          checks: checksOf.get(name) ?? [],
          indexes: [...groupBy(indexesOf.get(name) ?? [], (row) => row.name)].map(toIndex),
          columns: new Map((columnsOf.get(name) ?? []).map((row) => [row.name, toColumn(row)])),
        },
      ]),
    ),
  };
};

const readLabels = (labels: string | null): readonly string[] | null =>
  labels === null ? null : (JSON.parse(labels) as string[]);

const identities: ReadonlyMap<string, ColumnDetails['identity']> = new Map([
  ['a', 'always'],
  ['d', 'default'],
]);

const toColumn = (row: ColumnRow): ColumnDetails => {
  const [modifier = '', first, second] = /\((\d+)(?:,\s*(-?\d+))?\)/.exec(row.dbType) ?? [];
  const dataType = row.dbType.replace(modifier, '');
  const sizes = [first, second].map((digits) => (digits === undefined ? null : Number(digits)));
  const [size = null, scale = null] = sizes;
  const isNumeric = dataType.startsWith('numeric');
  const isTime = /^(?:time|timestamp|interval)/.test(dataType);
  return {
    dataType,
    length: isNumeric || isTime ? null : size,
    precision: isNumeric ? size : null,
    scale: isNumeric ? scale : null,
    fraction: isTime ? size : null,
    values: readLabels(row.labels),
    collation: row.collation,
    identity: identities.get(row.identity) ?? (Number(row.serial) === 1 ? 'sequence' : null),
  };
};

const toKeyDeferrable = (key: Omit<TableRow, 'name'>): Pick<TableDetails, 'keyDeferrable'> => {
  const { deferrable } = readDeferrable(key);
  return deferrable === undefined ? {} : { keyDeferrable: deferrable };
};

const toIndex = ([name, rows]: readonly [string, readonly IndexRow[]]): IndexDetails => {
  const [first] = rows;
  const method = first?.method ?? 'btree';
  return {
    name,
    unique: Number(first?.unique) === 1,
    constraint: Number(first?.constraint) === 1,
    ...(first !== undefined && readDeferrable(first)),
    method: method === 'btree' ? null : method,
    parts: rows
      .filter((row) => Number(row.key) === 1)
      .map(({ column, expression, descending }) => ({
        column,
        sql: column === null ? expression : null,
        descending: Number(descending) === 1,
        length: null,
      })),
    predicate: first?.predicate ?? null,
    include: rows.filter((row) => Number(row.key) === 0).map((row) => row.column ?? row.expression),
    incomplete: rows.some((row) => Number(row.unusual) === 1),
  };
};
