/** Reads what PostgreSQL holds of tables beyond the facts of a snapshot. */
import type { CatalogReader } from '../catalog.js';
import type { TableDetails } from '../details.js';
import { readRows } from '../dialect.js';
import { groupBy } from '../order.js';

/** The columns of newer versions are read as JSON, which lacks them in older ones. */
const properties = (own: string): string => `
  WITH ${own},
  constraints AS (
    SELECT t.relname AS "table", c.conname AS name, to_jsonb(c) AS more, c.contype, c.convalidated, c.connoinherit,
      c.confmatchtype, c.confrelid, c.conindid
    FROM own t JOIN pg_constraint c ON c.conrelid = t.oid
  )
  SELECT own.relname AS "table", x.text
  FROM own JOIN pg_class c ON c.oid = own.oid
    CROSS JOIN LATERAL (VALUES
      (c.relpersistence = 'u', 'it is unlogged'),
      (c.relkind = 'p', 'it is partitioned by ' || pg_get_partkeydef(c.oid)),
      (c.relrowsecurity, 'it has row security'),
      (c.reloptions IS NOT NULL, 'it has storage parameters'),
      (EXISTS (SELECT FROM pg_inherits h WHERE h.inhrelid = c.oid), 'it inherits from another table')
    ) AS x (holds, text)
  WHERE x.holds
  UNION ALL
  SELECT c."table", format(x.text, c.name)
  FROM constraints c
    CROSS JOIN LATERAL (VALUES
      (c.contype IN ('c', 'f') AND NOT c.convalidated, 'the constraint "%s" is not validated'),
      (c.contype = 'c' AND c.connoinherit, 'the check "%s" is not inherited'),
      (c.contype = 'f' AND c.confmatchtype = 'f', 'the relation "%s" is MATCH FULL'),
      (c.contype = 'f' AND c.more ->> 'confdelsetcols' IS NOT NULL, 'the relation "%s" sets some of its columns'),
      (c.contype = 'f' AND NOT EXISTS (
        SELECT FROM pg_class r WHERE r.oid = c.confrelid AND r.relnamespace = current_schema()::regnamespace
      ), 'the relation "%s" refers to another schema'),
      (c.contype = 'p' AND EXISTS (
        SELECT FROM pg_index i WHERE i.indexrelid = c.conindid AND i.indnatts > i.indnkeyatts
      ), 'the primary key includes further columns')
    ) AS x (holds, text)
  WHERE x.holds
  UNION ALL
  SELECT t.relname, format('the sequence of "%s" does not count 1, 2, 3', a.attname)
  FROM own t
    JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass
      AND d.refobjid = t.oid AND d.deptype IN ('a', 'i') AND d.refobjsubid > 0
    JOIN pg_sequence s ON s.seqrelid = d.objid
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
  WHERE s.seqstart <> 1 OR s.seqincrement <> 1 OR s.seqcache <> 1 OR s.seqcycle
  ORDER BY 1, 2`;

interface PropertyRow {
  readonly table: string;
  readonly text: string;
}

/** Returns a function that returns the `incomplete` of a table. @param own a common table expression of the tables */
export const readProperties = async (
  reader: CatalogReader,
  own: string,
): Promise<(table: string) => Pick<TableDetails, 'incomplete'>> => {
  const rows = groupBy(await readRows<PropertyRow>(reader, properties(own)), ({ table }) => table);
  return (table) => {
    const texts = rows.get(table)?.map(({ text }) => text);
    return texts === undefined ? {} : { incomplete: texts };
  };
};
