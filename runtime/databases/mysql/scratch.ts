/** The empty copy of a table on which an explanation tries statements. */
import type { Database } from '../contract.js';
import { quote } from './quoting.js';

/** A table that no server shows. */
export const scratchTable = 'svc_scratch_copy';

/** Runs `body`, which may use the copy, alone. */
export const withScratch = <Result>(
  { locked }: Pick<Database, 'locked'>,
  body: () => Promise<Result>,
): Promise<Result> => locked('svc_scratch', body);

/** Drops the copy, if it exists. */
export const dropScratch = async ({ query }: Pick<Database, 'query'>): Promise<void> => {
  await query(`drop table if exists ${quote(scratchTable)}`);
};

/** Drops a copy that was left behind by an explanation whose process was killed. */
export const removeScratch = async (database: Pick<Database, 'locked' | 'query'>): Promise<void> => {
  const tables = await database.query(
    'select table_name from information_schema.tables where table_schema = database() and table_name = ?',
    [scratchTable],
  );
  if (tables.length > 0) await withScratch(database, () => dropScratch(database));
};
