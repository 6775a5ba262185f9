/** Slots of models, given out under the lock of the model's lane: processes and transactions take turns. */
import type { Database } from '../../databases/contract.js';
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import { admit, enterLane, ensureLane } from './admission.js';
import type { Statements } from './rows.js';

export interface Lane {
  readonly statements: Statements;
  /** Gives the free slots to who waits. @returns ids of the requests */
  fill(): Promise<readonly string[]>;
}

export interface Lanes {
  /** Runs `body` in a transaction that holds the lane. */
  enter<Result>(model: QueueModelDeclaration, body: (lane: Lane) => Promise<Result>): Promise<Result>;
}

export const createLanes = (database: Database): Lanes => {
  const made = new Map<string, Promise<void>>();

  const laneOf = (model: string): Promise<void> => {
    const present = made.get(model);
    if (present !== undefined) return present;
    const lane = ensureLane(database, model);
    made.set(model, lane);
    lane.catch(() => made.delete(model));
    return lane;
  };

  return {
    async enter(model, body) {
      await laneOf(model.id);
      return database.transaction(async (statements) => {
        await enterLane(statements, model.id);
        return body({ statements, fill: () => admit(statements, model, Date.now()) });
      });
    },
  };
};
