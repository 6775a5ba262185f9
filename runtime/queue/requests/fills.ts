/** Assigns free slots of models to waiting requests, outside of what frees or needs a slot itself. */
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import type { QueueModels } from '../models/models.js';
import type { Database } from '../../databases/contract.js';
import { maxAdmitted } from '../store/admission.js';
import type { ModelLocks } from '../store/model-locks.js';
import type { PauseTarget } from '../store/pauses.js';
import type { RequestHead } from '../store/request-head.js';
import { findUnlisted, type Arrival } from '../store/waiting-accounts.js';
import type { Quotas } from './quotas.js';

export interface Fills {
  /**
   * Assigns the free slots of a model to waiting requests, also to those that another version has stored; of these, each
   * call looks through a page of the accounts, beginning where the last one ended.
   */
  fill(model: QueueModelDeclaration): Promise<void>;
  /** Assigns slots to requests that have waited for the end of a pause. */
  fillResumed(target: PauseTarget): Promise<void>;
  /** Assigns slots of other models, whose requests may have waited for the quota of the account that a request has left. */
  fillOthers(left: RequestHead): Promise<void>;
}

export interface FillOptions {
  readonly database: Database;
  readonly models: QueueModels;
  readonly quotas: Pick<Quotas, 'limitsOf'>;
  readonly modelLocks: ModelLocks;
  readonly notifyAdmitted: (ids: readonly string[]) => Promise<void>;
}

/** Creates the functions that fill free slots of models. */
export const createFills = ({ database, models, quotas, modelLocks, notifyAdmitted }: FillOptions): Fills => {
  const assignSlots = async (model: QueueModelDeclaration, arrived: readonly Arrival[]): Promise<number> => {
    const admitted = await modelLocks.hold(model, ({ fill: assign }) => assign(arrived));
    await notifyAdmitted(admitted);
    return admitted.length;
  };
  const assignAll = async (
    model: QueueModelDeclaration,
    unlisted: readonly Arrival[] = [],
  ): Promise<void> => {
    let arrived = unlisted;
    while ((await assignSlots(model, arrived)) >= maxAdmitted) arrived = [];
  };
  /** The first account of the next chunk, by model. */
  const nextPortions = new Map<string, string | null>();
  return {
    async fill(model) {
      const { accounts, next } = await findUnlisted(database, model.id, nextPortions.get(model.id));
      nextPortions.set(model.id, next);
      await assignAll(model, accounts);
    },
    async fillResumed({ kind, name }) {
      modelLocks.expirePauses();
      const resumed = models.all.filter(
        (model) =>
          kind === 'account' ||
          (kind === 'model' && model.id === name) ||
          (kind === 'class' && model.class === name),
      );
      for (const model of resumed) await assignAll(model);
    },
    async fillOthers({ account, model: left }) {
      if ((await quotas.limitsOf(account)).running === null) return;
      for (const model of models.all) if (model.id !== left) await assignSlots(model, []);
    },
  };
};
