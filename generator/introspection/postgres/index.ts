/**
 * Catalog queries of PostgreSQL for one schema, the first of the search path. Each reads one system catalog
 * for all tables; objects of extensions and partitions are omitted.
 * https://www.postgresql.org/docs/current/catalogs.html
 */
import { readRows, type DialectReader, type TypedColumn } from '../dialect.js';
import { readPostgresDetails } from './details.js';
import { markTriggers, type TriggerRow } from '../triggers.js';
import { rowsToTables, type ColumnRow, type ForeignKeyRow, type IndexRow, type TableRow } from './tables.js';
import { storedObjects } from './stored-objects.js';

/** Tables of the schema: r plain, p partitioned, f foreign, v view, m materialized view. */
const served = `
  served AS (
    SELECT c.oid, c.relname, c.relkind
    FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'f', 'v', 'm')
      AND NOT c.relispartition
      AND NOT EXISTS (
        SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
      )
  )`;

const tables = `
  WITH ${served}
  SELECT t.relname AS name, t.relkind AS kind, obj_description(t.oid, 'pg_class') AS comment
  FROM served t
  ORDER BY t.relname COLLATE "C"`;

/**
 * Resolves domains to their base type over any number of steps; each of them may be NOT NULL, and the outermost has the
 * default of all. Arrays of a domain have the type of arrays of its base type; arrays of a domain that is an array itself are
 * read as text.
 */
const columns = `
  WITH RECURSIVE ${served},
  base (domain, oid, typmod, required) AS (
    SELECT oid, typbasetype, typtypmod, typnotnull FROM pg_type WHERE typtype = 'd'
    UNION ALL
    SELECT b.domain, t.typbasetype, CASE WHEN b.typmod = -1 THEN t.typtypmod ELSE b.typmod END,
      b.required OR t.typnotnull
    FROM base b JOIN pg_type t ON t.oid = b.oid WHERE t.typtype = 'd'
  )
  SELECT t.relname AS "table", a.attname AS name, y.typname AS "typeName", y.typtype AS "typeKind",
    y.typcategory AS category, coalesce(b.typmod, a.atttypmod) AS modifier,
    coalesce(
      format_type(e.oid, e.typmod) || '[]', format_type(y.oid, coalesce(b.typmod, a.atttypmod))
    ) AS "dbType",
    CASE WHEN a.attnotnull OR coalesce(b.required, false) THEN 0 ELSE 1 END AS nullable,
    coalesce(pg_get_expr(d.adbin, d.adrelid), pg_get_expr(o.typdefaultbin, 0)) AS expression,
    a.attgenerated AS generated, a.attidentity AS identity,
    CASE WHEN d.adbin IS NOT NULL AND a.attgenerated = '' THEN
      pg_get_serial_sequence(quote_ident(current_schema()) || '.' || quote_ident(t.relname), a.attname)
    END AS sequence,
    (SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = y.oid)::text AS labels,
    col_description(t.oid, a.attnum) AS comment
  FROM served t
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN base b ON b.domain = a.atttypid AND b.oid IN (SELECT oid FROM pg_type WHERE typtype <> 'd')
    JOIN pg_type o ON o.oid = a.atttypid
    JOIN pg_type y ON y.oid = coalesce(b.oid, a.atttypid)
    LEFT JOIN base e ON y.typcategory = 'A' AND e.domain = y.typelem
      AND e.oid IN (SELECT oid FROM pg_type WHERE typtype <> 'd' AND typcategory <> 'A')
    LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
  ORDER BY t.relname COLLATE "C", a.attnum`;

/** Reads one column of one index per row, in index order, without included columns. */
const indexes = `
  WITH ${served}
  SELECT t.relname AS "table", c.relname AS name, i.indisprimary::int AS "primary",
    i.indisunique::int AS "unique", (i.indpred IS NOT NULL)::int AS partial, a.attname AS "column",
    pg_get_indexdef(i.indexrelid, k.position, true) AS expression
  FROM served t
    JOIN pg_index i ON i.indrelid = t.oid AND i.indisvalid
    JOIN pg_class c ON c.oid = i.indexrelid
    CROSS JOIN LATERAL generate_series(1, i.indnkeyatts) AS k (position)
    LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[k.position - 1] AND a.attnum > 0
  ORDER BY t.relname COLLATE "C", c.relname COLLATE "C", k.position`;

/** Reads one column of one foreign key per row, in key order, without the copies on partitions. */
const foreignKeys = `
  WITH ${served}
  SELECT t.relname AS "table", c.conname AS name, c.confupdtype AS "onUpdate", c.confdeltype AS "onDelete",
    c.condeferrable::int AS deferrable, c.condeferred::int AS deferred, a.attname AS "column", r.relname AS target, f.attname AS reference
  FROM served t
    JOIN pg_constraint c ON c.conrelid = t.oid AND c.contype = 'f' AND c.conparentid = 0
    JOIN served r ON r.oid = c.confrelid
    CROSS JOIN LATERAL unnest(c.conkey, c.confkey) WITH ORDINALITY AS k (own, other, position)
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.own
    JOIN pg_attribute f ON f.attrelid = c.confrelid AND f.attnum = k.other
  ORDER BY t.relname COLLATE "C", c.conname COLLATE "C", k.position`;

/** Reads tables with triggers or rules; a partitioned or foreign table may have some elsewhere. */
const triggers = `
  WITH ${served}
  SELECT t.relname AS "table"
  FROM served t
  WHERE t.relkind IN ('p', 'f')
    OR EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = t.oid AND NOT g.tgisinternal AND g.tgenabled <> 'D')
    OR t.relkind = 'r' AND EXISTS (SELECT FROM pg_rewrite r WHERE r.ev_class = t.oid)
  ORDER BY t.relname COLLATE "C"`;

const textLike: ReadonlySet<string> = new Set(['string', 'text', 'float']);

/** Types that SQL treats like their field type; there are more of the others than can be listed. */
const plainTypes = /^(?:text|(?:\w+\.)?citext|character varying|double precision)\b/;

const nameType = ({ type, dbType, values }: TypedColumn): string | null => {
  // declared as JSON in meta only: the database does not validate it
  if (type === 'json') return /^jsonb?$/.test(dbType) ? null : dbType;
  // an enum is identified by its values
  const isNamed = textLike.has(type) && values === null && !plainTypes.test(dbType);
  return isNamed ? dbType.replace(/\(.*?\)/, '') : null;
};

export const postgres: DialectReader = {
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
  jsonToText: (column) => `CAST(${column} AS text)`,
  keysBeforeInsert: false,
  nameType,
  readDetails: readPostgresDetails,
  storedObjects,
  readTables: async (reader, admits) => {
    const [tableRows, columnRows, indexRows, foreignKeyRows, triggerRows] = await Promise.all([
      readRows<TableRow>(reader, tables),
      readRows<ColumnRow>(reader, columns),
      readRows<IndexRow>(reader, indexes),
      readRows<ForeignKeyRow>(reader, foreignKeys),
      readRows<TriggerRow>(reader, triggers),
    ]);
    const all = rowsToTables({
      tables: tableRows.filter((table) => admits(table.name)),
      columns: columnRows,
      indexes: indexRows,
      foreignKeys: foreignKeyRows,
    });
    const names = new Set(triggerRows.map(({ table }) => table));
    return markTriggers(all, (name) => names.has(name));
  },
};
