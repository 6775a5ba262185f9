/** Gives out the slots of models while a row of `svc_model_locks` is locked, so that processes take turns. */
import type { Database } from '../../databases/contract.js';
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import { admit, ensureModelLock, lockModel } from './admission.js';
import type { Statements } from '../../execute/system-rows.js';

export interface LockedModel {
  readonly statements: Statements;
  /** Gives the free slots to who waits. @returns ids of the requests */
  fill(): Promise<readonly string[]>;
}

export interface ModelLocks {
  /** Runs `body` in a transaction that holds the lock of the model. */
  hold<Result>(model: QueueModelDeclaration, body: (locked: LockedModel) => Promise<Result>): Promise<Result>;
}

export const createModelLocks = (database: Database): ModelLocks => {
  const made = new Map<string, Promise<void>>();

  const lockOf = (model: string): Promise<void> => {
    const present = made.get(model);
    if (present !== undefined) return present;
    const lock = ensureModelLock(database, model);
    made.set(model, lock);
    lock.catch(() => made.delete(model));
    return lock;
  };

  return {
    async hold(model, body) {
      await lockOf(model.id);
      return database.transaction(async (statements) => {
        await lockModel(statements, model.id);
        return body({ statements, fill: () => admit(statements, model, Date.now()) });
      });
    },
  };
};
