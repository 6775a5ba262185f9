import type { StoredObjectQueries } from '../stored-objects.js';

export const storedObjects: StoredObjectQueries = {
  viewsAndTriggers: `
    SELECT 'trigger' AS kind, t.tgname AS name, c.relname AS "table",
      pg_get_triggerdef(t.oid) || ' ' || p.prosrc AS sql
    FROM pg_trigger t
      JOIN pg_class c ON c.oid = t.tgrelid
      JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace
    UNION ALL
    SELECT 'view', c.relname, NULL, pg_get_viewdef(c.oid)
    FROM pg_class c
    WHERE c.relkind IN ('v', 'm') AND c.relnamespace = current_schema()::regnamespace
    ORDER BY 1, 2`,
  sizes: `
    SELECT c.relname AS name, pg_total_relation_size(c.oid) AS bytes
    FROM pg_class c
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace`,
};
