/** The first look at the schema of a database, which costs one small statement. */
import type { Database } from '../databases/contract.js';

/**
 * Returns a text that is another one when a table may have changed, or an apply has ended, which may have changed meta
 * alone.
 */
export const readSchemaVersion = async (
  database: Pick<Database, 'query' | 'quote' | 'sql'>,
): Promise<string> => {
  const applies = `select count(*) as applies, max(date_ended) as ended from ${database.quote('svc_schema_applies')}`;
  return JSON.stringify(
    await Promise.all([database.query(database.sql.schemaVersion), database.query(applies)]),
  );
};
