/** Runs transactions under the lock of a model (a row of `svc_model_locks`), in which slots can be assigned. */
import type { Database } from '../../databases/contract.js';
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import { admit, type RemainingOf } from './admission.js';
import { watchPauses } from './pauses.js';
import { findRow, insertRow, type Statements } from '../../execute/system-rows.js';
import type { Arrival } from './waiting-accounts.js';

export interface LockedModel {
  readonly statements: Statements;
  /**
   * Assigns free slots to waiting requests, at most `maxAdmitted`.
   * @param arrived accounts of requests that have been stored in this transaction, which must be named
   * @returns ids of the admitted requests
   */
  fill(arrived?: readonly Arrival[]): Promise<readonly string[]>;
}

export interface ModelLocks {
  /** Runs `body` in a transaction that holds the lock of the model. */
  hold<Result>(model: QueueModelDeclaration, body: (locked: LockedModel) => Promise<Result>): Promise<Result>;
  /** Has the next `hold` see pauses that have begun or ended just now, which it may otherwise see a second late. */
  expirePauses(): void;
}

/**
 * Creates the locks of the models' slots.
 * @param remainingOf returns how many more requests of accounts may run
 */
export const createModelLocks = (database: Database, remainingOf?: RemainingOf): ModelLocks => {
  const pauses = watchPauses(database);
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
      const paused = await pauses.read();
      const isHeld = paused.has('model', model.id) || paused.has('class', model.class);
      const isPausedAccount = (account: string): boolean => paused.has('account', account);
      return database.transaction(async (statements) => {
        await lockModel(statements, model.id);
        const fill: LockedModel['fill'] = (arrived = []) =>
          admit(statements, model, {
            now: Date.now(),
            arrived,
            isHeld,
            isPausedAccount,
            ...(remainingOf !== undefined && { remainingOf }),
          });
        return body({ statements, fill });
      });
    },
    expirePauses: pauses.expire,
  };
};

/** Locks a model until the transaction ends; must be the first statement of a transaction that assigns slots. */
export const lockModel = async (statements: Statements, model: string): Promise<void> => {
  await statements.write({
    text: 'update svc_model_locks set turns = turns + 1 where model = ?',
    values: [model],
  });
};

/** Inserts the row that `lockModel` locks, unless it exists or another process inserts it at the same time. */
export const ensureModelLock = async (statements: Statements, model: string): Promise<void> => {
  const exists = async (): Promise<boolean> =>
    (await findRow(statements, 'svc_model_locks', { where: { model } })) !== undefined;
  if (await exists()) return;
  try {
    await insertRow(statements, 'svc_model_locks', { model, turns: 0 });
  } catch (error) {
    if (!(await exists())) throw error;
  }
};
