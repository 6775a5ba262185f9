/** Gauges of the pool of a database. */
import type { Database } from '../databases/contract.js';
import type { ReadGauges } from './metrics.js';

/** Returns the reader of the gauges. */
export const watchPool =
  ({ poolUse }: Pick<Database, 'poolUse'>): ReadGauges =>
  ({ set }) => {
    const { maximum, used, waiting } = poolUse();
    set('poolMaximum', [], maximum);
    set('poolConnections', ['used'], used);
    set('poolWaiting', [], waiting);
  };
