/** Gauges of a database: whether it responds, and the use of its pool. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../databases/contract.js';
import type { ReadGauges } from './metrics.js';

/** Milliseconds for which the database is waited for. */
const responseLimit = 1_000;

/** Returns whether the database responds within a second. */
export const isResponding = async (database: Pick<Database, 'query'>): Promise<boolean> => {
  const response = database.query('select 1 as one').then(
    () => true,
    () => false,
  );
  return Promise.race([response, sleep(responseLimit, false, { ref: false })]);
};

/** Returns the reader of the gauges. It asks the database, so that its loss shows where no request comes as well. */
export const watchDatabase =
  (database: Pick<Database, 'query' | 'poolUse'>): ReadGauges =>
  async ({ set }) => {
    const { maximum, used, waiting } = database.poolUse();
    set('poolMaximum', [], maximum);
    set('poolConnections', ['used'], used);
    set('poolWaiting', [], waiting);
    set('databaseUp', [], Number(await isResponding(database)));
  };
