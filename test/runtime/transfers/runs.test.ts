/** Which run of a transfer may store how far it is. */
import { describe, expect, it } from 'vitest';
import { createId } from '../../../runtime/queue/store/ids.js';
import { claimTransfer, storeTransfer, takeTransfer } from '../../../runtime/queue/store/transfers.js';
import { dialectsOf } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import { submit } from './transfers.js';

const dialects = dialectsOf(import.meta.url);

const state = { position: 7, line: 2, done: 1, rejected: 0, reports: 0, progress: 50 };

describe.each(dialects)('runs of a transfer on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: 'create table entry (id int primary key);',
    // nobody runs its requests
    environment: { TEMPORAL_ADDRESS: '127.0.0.1:1' },
  });
  const begin = async () => {
    const body = { format: 'csv' };
    const { id: request } = await submit(server(), '/items/entry/export', { as: 'admin', body });
    await server().execute(`update svc_requests set state = 'running' where id = '${request}'`);
    return { request, run: createId() };
  };

  it('take over only from one that has shown no sign of life since a given time', async () => {
    const { database } = server();
    const first = await begin();
    const second = { ...first, run: createId() };
    const long = Date.now() - 60_000;
    expect(await claimTransfer(database, first, long)).toBe(true);
    expect(await claimTransfer(database, second, long)).toBe(false);
    expect(await storeTransfer(database, first, state)).toBe(true);
    expect(await claimTransfer(database, second, Date.now() + 60_000)).toBe(true);
  });

  it('store no state after another one has taken the transfer', async () => {
    const { database } = server();
    const first = await begin();
    const second = { ...first, run: createId() };
    await takeTransfer(database, first);
    expect(await storeTransfer(database, first, state)).toBe(true);
    expect(await takeTransfer(database, second)).toEqual(state);
    expect(await storeTransfer(database, first, { ...state, position: 9 })).toBe(false);
    expect(await takeTransfer(database, second)).toEqual(state);
  });

  it('store no state after their request has ended', async () => {
    const { database, execute } = server();
    const run = await begin();
    await takeTransfer(database, run);
    await execute(`update svc_requests set state = 'ended' where id = '${run.request}'`);
    expect(await storeTransfer(database, run, state)).toBe(false);
  });
});
