/** The first check of the schema of a database, which costs two small statements. */
import type { Database } from '../databases/contract.js';

type Reader = Pick<Database, 'query' | 'quote' | 'sql'>;

export interface SchemaVersion {
  /** Another one when a table may have changed, or a phase of an apply has ended, which may have changed meta alone. */
  readonly text: string;
  /** Generation of the schema, which rises with each phase of an apply. */
  readonly generation: number;
}

/** Returns a text that differs after any change of a table or view, and the generation of the last apply. */
export const readSchemaVersion = async (database: Reader): Promise<SchemaVersion> => {
  const [tables, [applies]] = await Promise.all([
    database.query(database.sql.schemaVersion),
    database.query(
      `select count(*) as applies, max(generation) as generation from ${database.quote('svc_schema_applies')}`,
    ),
  ]);
  return { text: JSON.stringify([tables, applies]), generation: Number(applies?.generation ?? 0) };
};

/** Returns the generation that follows the present one. */
export const nextGeneration = async ({ query }: Pick<Reader, 'query'>): Promise<number> => {
  const [row] = await query('select max(generation) as generation from svc_schema_applies');
  return Number(row?.generation ?? 0) + 1;
};
