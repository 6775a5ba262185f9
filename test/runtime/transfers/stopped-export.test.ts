/** A queued export whose process stops while the database runs its statement. */
import { expect, it } from 'vitest';
import { until } from '../../until.js';
import { useServer } from '../harness/use-server.js';
import { submit } from './transfers.js';

const server = useServer({
  dialect: 'postgres',
  sql: 'create table leaf (id int primary key); create view slow as select id, pg_sleep(600)::text as slept from leaf; insert into leaf values (1);',
  // nobody runs its requests but the process of the test
  environment: { TEMPORAL_ADDRESS: '127.0.0.1:1' },
});

it.each([
  ['counts', {}],
  ['reads', { aggregate: { max: ['slept'] } }],
])('ends the statement that %s its rows', async (_, query) => {
  const { database, startAnother } = server();
  const running = `select 1 from pg_stat_activity where state = 'active' and datname = current_database() and query like '%slow%' and pid <> pg_backend_pid()`;
  const count = async (): Promise<number> => (await database.query(running)).length;
  const host = await startAnother({ TEMPORAL_ADDRESS: '' });
  const { id } = await submit(host, '/items/slow/export', { as: 'admin', body: { format: 'csv', query } });
  await until(async () => (await count()) > 0);
  await host.close();
  await until(async () => (await count()) === 0, { timeout: 10_000 });
  // another process continues it
  expect(await database.query('select state from svc_requests where id = ?', [id])).toEqual([
    { state: 'running' },
  ]);
  await database.query('delete from svc_requests where id = ?', [id]);
});
