import type { StoredObjectQueries } from '../stored-objects.js';

export const storedObjects: StoredObjectQueries = {
  viewsAndTriggers: `
    SELECT type AS kind, name, CASE type WHEN 'trigger' THEN tbl_name END AS "table", sql
    FROM main.sqlite_schema
    WHERE type IN ('view', 'trigger')
    ORDER BY type, name`,
  sizes: `
    SELECT s.tbl_name AS name, sum(d.pgsize) AS bytes
    FROM dbstat d JOIN main.sqlite_schema s ON s.name = d.name
    GROUP BY s.tbl_name`,
};
