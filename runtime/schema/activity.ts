/** Retention of rows in `svc_activity`. */
import { databaseTime } from '../execute/database-time.js';
import { deleteRows, findRow, findRows, type Statements } from '../execute/system-rows.js';
import type { Database } from '../databases/contract.js';

/** Returns the configured retention in days, or null for unlimited. */
export const retentionDays = async (statements: Statements): Promise<number | null> => {
  const row = await findRow(statements, 'svc_settings', {
    columns: ['activity_days'],
    order: ['id'],
    limit: 1,
  });
  return row?.activity_days ?? null;
};

/** Rows per statement, small so that locks are held briefly. */
const chunkSize = 1_000;

/** Deletes activity older than a number of days. @returns the number of deleted rows */
export const pruneActivity = async (database: Database, days: number): Promise<number> => {
  const before = databaseTime(new Date(Date.now() - days * 86_400_000));
  for (let deleted = 0; ;) {
    const rows = await findRows(database, 'svc_activity', {
      where: { timestamp: { below: before } },
      columns: ['id'],
      order: ['id'],
      limit: chunkSize,
    });
    if (rows.length === 0) return deleted;
    deleted += await deleteRows(database, 'svc_activity', { id: rows.map(({ id }) => id) });
  }
};
