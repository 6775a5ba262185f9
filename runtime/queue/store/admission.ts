/**
 * Assigns the slots of a model: to synchronous runs that wait, then to waiting requests. Of these, the highest priority
 * comes first, then the account with the fewest running requests, then the one that has waited longest for its turn; of an
 * account, its oldest request. Slots are limited per model and per account. Runs under the lock of the model's row in
 * `svc_model_locks`, so that only one process assigns slots at a time. What it reads grows with the slots, not with the
 * queue.
 */
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import { updateRows, type Statements } from '../../execute/system-rows.js';
import { readSlotUse, startRuns, type SlotUse } from './runs.js';
import { chooseAccount, openSlotAssignment, type SlotAssignment } from './slot-assignment.js';
import type { Arrival } from './waiting-accounts.js';

export type Slots = Pick<QueueModelDeclaration, 'id' | 'concurrency'>;

export interface AdmissionOptions {
  readonly now: number;
  /** Accounts of requests that the same transaction has stored. */
  readonly arrived?: readonly Arrival[];
  /** True where requests wait although slots are free. */
  readonly isHeld?: boolean;
  /** Accounts whose requests wait although slots are free. */
  readonly isPausedAccount?: (account: string) => boolean;
  /** Returns how many more requests of accounts may run, for those that have a limit over all models. */
  readonly remainingOf?: RemainingOf;
}

export type RemainingOf = (
  statements: Statements,
  accounts: readonly string[],
) => Promise<Map<string, number>>;

/** Maximum number of requests that receive slots in one transaction, so that the lock is soon free again. */
export const maxAdmitted = 256;

/**
 * Fills the free slots of a model, at most `maxAdmitted`; must be called inside a transaction that holds its lock.
 * @returns ids of the admitted requests
 */
export const admit = async (
  statements: Statements,
  slots: Slots,
  {
    now,
    arrived = [],
    isHeld = false,
    isPausedAccount = () => false,
    remainingOf = async () => new Map(),
  }: AdmissionOptions,
): Promise<readonly string[]> => {
  const { id: model, concurrency } = slots;
  const { running, runs, first } = isHeld ? nothing() : await readSlotUse(statements, model, now);
  await admitRuns(statements, { slots, running, runs, isPausedAccount, remainingOf });
  const free = isHeld ? 0 : Math.max(0, Math.min(maxAdmitted, freeSlots(concurrency, running)));
  const options = { model, running, maxRunning: concurrency.account, isPausedAccount, remainingOf };
  const admitted: string[] = [];
  for (let isFirst = true, isDone = false; !isDone; isFirst = false) {
    const left = free - admitted.length;
    const assignment = await openSlotAssignment(statements, {
      ...options,
      free: left,
      arrived: isFirst ? arrived : [],
      first: isFirst ? first : null,
    });
    admitted.push(...(await admitAssigned(statements, assignment, { free: left, now })));
    await assignment.store();
    isDone = assignment.isWhole || admitted.length >= free;
  }
  return admitted;
};

const admitAssigned = async (
  statements: Statements,
  assignment: SlotAssignment,
  { free, now }: { readonly free: number; readonly now: number },
): Promise<readonly string[]> => {
  const admitted: string[] = [];
  do {
    const plan = assignment.plan(free - admitted.length);
    if (plan.size === 0) break;
    const ids = await assignment.serve(plan);
    if (ids.length > 0)
      await updateRows(statements, 'svc_requests', {
        // the workflow has not been notified yet
        set: { state: 'admitted', started: 0, date_admitted: now },
        where: { state: 'waiting', id: ids },
      });
    admitted.push(...ids);
  } while (assignment.isWhole && admitted.length < free);
  return admitted;
};

/** Takes one of what remains to an account. @returns what is left; undefined without a limit */
const takeOne = (remaining: Map<string, number>, account: string): number | undefined => {
  const before = remaining.get(account);
  if (before === undefined) return undefined;
  remaining.set(account, before - 1);
  return before - 1;
};

const freeSlots = ({ model }: Slots['concurrency'], running: ReadonlyMap<string, number>): number =>
  model - [...running.values()].reduce((sum, count) => sum + count, 0);

const nothing = (): SlotUse => ({ running: new Map(), runs: [], first: [] });

interface RunAdmission
  extends Omit<SlotUse, 'first'>, Required<Pick<AdmissionOptions, 'isPausedAccount' | 'remainingOf'>> {
  readonly slots: Slots;
}

/** Assigns slots to the synchronous runs of a model that wait, and adds those to `running` that have one. */
const admitRuns = async (
  statements: Statements,
  { slots: { concurrency }, running, runs, isPausedAccount, remainingOf }: RunAdmission,
): Promise<void> => {
  const add = (account: string): unknown => running.set(account, (running.get(account) ?? 0) + 1);
  for (const { account, state } of runs) if (state === 'running') add(account);
  const candidates = runs.filter(({ state, account }) => state === 'waiting' && !isPausedAccount(account));
  if (candidates.length === 0) return;
  const remaining = await remainingOf(
    statements,
    candidates.map(({ account }) => account),
  );
  const waiting = candidates
    .filter(({ account }) => (takeOne(remaining, account) ?? 0) >= 0)
    .map(({ id, account, created }) => ({ id, account, tier: 0, turn: created }));
  const started: string[] = [];
  for (let free = freeSlots(concurrency, running); free > 0; free -= 1) {
    const next = chooseAccount(waiting, running, () => concurrency.account);
    if (next === null) break;
    started.push(next.id);
    waiting.splice(waiting.indexOf(next), 1);
    add(next.account);
  }
  await startRuns(statements, started);
};
