/** Gauges of the pool of a database. */
import type { Database } from '../databases/contract.js';
import type { ReadGauges } from './metrics.js';

export const watchPool =
  ({ poolUse }: Pick<Database, 'poolUse'>): ReadGauges =>
  ({ set }) => {
    const { maximum, used, waiting } = poolUse();
    set('poolMaximum', [], maximum);
    set('poolConnections', ['used'], used);
    set('poolWaiting', [], waiting);
  };
