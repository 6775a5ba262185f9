/** Old rows of `svc_activity`. */
import { databaseTime } from '../execute/database-time.js';
import type { Database, Executor } from '../databases/contract.js';

/** The setting; `null`: for ever. */
export const retentionDays = async (executor: Pick<Executor, 'query'>): Promise<number | null> => {
  const [row] = await executor.query('select activity_days from svc_settings order by id limit 1');
  const days = row?.activity_days ?? null;
  return days === null ? null : Number(days);
};

/** Rows per statement: nobody waits long for their locks. */
const together = 1_000;

/** Deletes what is older than that many days. @returns how many rows that were */
export const pruneActivity = async (database: Database, days: number): Promise<number> => {
  const { quote } = database.sql;
  const before = databaseTime(new Date(Date.now() - days * 86_400_000));
  for (let deleted = 0; ;) {
    const rows = await database.query(
      `select id from svc_activity where ${quote('timestamp')} < ? order by id limit ${together}`,
      [before],
    );
    if (rows.length === 0) return deleted;
    const ids = rows.map(({ id }) => String(id));
    const places = ids.map(() => '?').join(', ');
    const { affected } = await database.write({
      text: `delete from svc_activity where id in (${places})`,
      values: ids,
    });
    deleted += affected;
  }
};
