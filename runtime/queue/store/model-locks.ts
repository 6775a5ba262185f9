/** Runs transactions under the lock of a model (a row of `svc_model_locks`), in which slots can be assigned. */
import type { Database } from '../../databases/contract.js';
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import { admit, ensureModelLock, lockModel, type RoomOf } from './admission.js';
import { watchPauses } from './pauses.js';
import type { Statements } from '../../execute/system-rows.js';

export interface LockedModel {
  readonly statements: Statements;
  /** Assigns free slots to waiting requests. @returns ids of the admitted requests */
  fill(): Promise<readonly string[]>;
}

export interface ModelLocks {
  /** Runs `body` in a transaction that holds the lock of the model. */
  hold<Result>(model: QueueModelDeclaration, body: (locked: LockedModel) => Promise<Result>): Promise<Result>;
}

/** @param roomOf returns how many more requests of accounts may run */
export const createModelLocks = (database: Database, roomOf?: RoomOf): ModelLocks => {
  const readPaused = watchPauses(database);
  const inserted = new Map<string, Promise<void>>();

  const ensureLock = (model: string): Promise<void> => {
    const present = inserted.get(model);
    if (present !== undefined) return present;
    const inserting = ensureModelLock(database, model);
    inserted.set(model, inserting);
    inserting.catch(() => inserted.delete(model));
    return inserting;
  };

  return {
    async hold(model, body) {
      await ensureLock(model.id);
      const paused = await readPaused();
      const isHeld = paused.has('model', model.id) || paused.has('class', model.class);
      const isPausedAccount = (account: string): boolean => paused.has('account', account);
      return database.transaction(async (statements) => {
        await lockModel(statements, model.id);
        const fill = async () =>
          isHeld
            ? []
            : admit(statements, model, {
                now: Date.now(),
                isPausedAccount,
                ...(roomOf !== undefined && { roomOf }),
              });
        return body({ statements, fill });
      });
    },
  };
};
