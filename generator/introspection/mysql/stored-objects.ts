import type { StoredObjectQueries } from '../stored-objects.js';

export const storedObjects: StoredObjectQueries = {
  viewsAndTriggers: `
    SELECT 'trigger' AS kind, trigger_name AS name, event_object_table AS \`table\`, action_statement AS \`sql\`
    FROM information_schema.triggers
    WHERE trigger_schema = DATABASE()
    UNION ALL
    SELECT 'view', table_name, NULL, view_definition
    FROM information_schema.views
    WHERE table_schema = DATABASE()
    ORDER BY kind, name`,
  sizes: `
    SELECT table_name AS name, data_length + index_length AS bytes
    FROM information_schema.tables
    WHERE table_schema = DATABASE() AND table_type <> 'VIEW'`,
};
