import type { StoredObjectQueries } from '../stored-objects.js';

export const storedObjects: StoredObjectQueries = {
  // the columns of views, and of the conditions of triggers, are followed; what functions do is not
  viewsAndTriggers: `
    WITH uses AS (
      SELECT d.classid, d.objid, json_agg(json_build_object('table', c.relname, 'column', a.attname))::text AS uses
      FROM pg_depend d
        JOIN pg_class c ON c.oid = d.refobjid AND c.relnamespace = current_schema()::regnamespace
        LEFT JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = nullif(d.refobjsubid, 0)
      WHERE d.refclassid = 'pg_class'::regclass AND d.classid IN ('pg_rewrite'::regclass, 'pg_trigger'::regclass)
        AND d.deptype = 'n'
      GROUP BY 1, 2
    )
    SELECT 'trigger' AS kind, t.tgname AS name, c.relname AS "table", p.prosrc AS sql, coalesce(u.uses, '[]') AS uses
    FROM pg_trigger t
      JOIN pg_class c ON c.oid = t.tgrelid
      JOIN pg_proc p ON p.oid = t.tgfoid
      LEFT JOIN uses u ON u.classid = 'pg_trigger'::regclass AND u.objid = t.oid
    WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace
    UNION ALL
    SELECT 'view', c.relname, NULL, '', coalesce(u.uses, '[]')
    FROM pg_class c
      JOIN pg_rewrite r ON r.ev_class = c.oid
      LEFT JOIN uses u ON u.classid = 'pg_rewrite'::regclass AND u.objid = r.oid
    WHERE c.relkind IN ('v', 'm') AND c.relnamespace = current_schema()::regnamespace
    ORDER BY 1, 2`,
  sizes: `
    SELECT c.relname AS name, pg_total_relation_size(c.oid) AS bytes
    FROM pg_class c
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace`,
};
