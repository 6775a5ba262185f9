/** Counts what statements of the queue read, as the databases themselves do. */
import type { Statements } from '../../runtime/execute/system-rows.js';
import type { TestDialect } from '../databases.js';

const ofMysql = async (statements: Statements): Promise<number> => {
  const rows = await statements.query("show session status like 'Handler_read%'");
  return rows.reduce((sum, { Value: value }) => sum + Number(value), 0);
};
/** Rows and index entries that the transaction has read so far; 0 where the database does not tell. */
export const rowsRead: Readonly<Record<TestDialect, (statements: Statements) => Promise<number>>> = {
  mariadb: ofMysql,
  mysql: ofMysql,
  postgres: async (statements) => {
    const [row] = await statements.query(
      'select sum(pg_stat_get_xact_tuples_returned(c.oid)) as read from pg_class c ' +
        "where c.relnamespace = current_schema()::regnamespace and c.relname like 'svc%'",
    );
    return Number(row?.read);
  },
  sqlite: async () => 0,
};
/** Statements after which the planner knows how many rows there are. */
export const analyze: Readonly<Record<TestDialect, readonly string[]>> = {
  mariadb: ['analyze table svc_requests, svc_waiting_accounts'],
  mysql: ['analyze table svc_requests, svc_waiting_accounts'],
  postgres: ['analyze svc_requests', 'analyze svc_waiting_accounts'],
  sqlite: ['analyze'],
};
