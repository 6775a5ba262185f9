/**
 * Stores new requests in batches. Requests for a model that arrive during a transaction share the next one:
 * one lock, one insert and one commit, which also assigns slots.
 */
import type { Database } from '../../databases/contract.js';
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import type { Quotas } from './quotas.js';
import { createBatch } from '../../concurrency/batch.js';
import type { LockedModel, ModelLocks } from '../store/model-locks.js';
import {
  findIdempotency,
  insertIdempotency,
  lookupKeyOf,
  type IdempotencyKey,
  type IdempotencyRecord,
} from '../store/idempotency.js';
import { countFromPriority, maxPosition } from '../store/waiting-counts.js';
import { insertRequests } from '../store/requests.js';
import type { NewRequest } from '../store/request-head.js';

export interface SubmissionItem {
  readonly request: NewRequest;
  /** `null` if the request has none. */
  readonly key: IdempotencyKey | null;
}

/** `known` if the idempotency key belongs to an earlier request; the new one is not stored. */
export type SubmissionResult =
  | { readonly kind: 'opened'; readonly admitted: boolean; readonly position: number }
  | { readonly kind: 'known'; readonly record: IdempotencyRecord }
  /** The account has reached the quota of the queue. */
  | { readonly kind: 'refused' };

export interface SubmissionBatchOptions {
  readonly database: Database;
  readonly modelLocks: ModelLocks;
  readonly quotas: Pick<Quotas, 'remainingOf'>;
  /** Called with the ids of earlier requests that received slots in the same transaction. */
  readonly onAdmitted: (ids: readonly string[]) => void;
}

export type SubmissionBatch = (
  model: QueueModelDeclaration,
  arrival: SubmissionItem,
) => Promise<SubmissionResult>;

/**
 * Maximum requests and input characters per transaction; every database accepts that much in one statement.
 */
const maxRequests = 64;
const maxInputLength = 1_000_000;

/**
 * Creates the function that stores a request. It resolves after the commit.
 * @throws the errors of quotas and idempotency keys
 */
export const createSubmissionBatch = (options: SubmissionBatchOptions): SubmissionBatch => {
  const batches = new Map<string, (arrival: SubmissionItem) => Promise<SubmissionResult>>();
  return (model, arrival) => {
    const known = batches.get(model.id);
    if (known !== undefined) return known(arrival);
    const size = { of: ({ request }: SubmissionItem) => request.input.length, max: maxInputLength };
    const batch = createBatch((arrivals: readonly SubmissionItem[]) => storeBatch(model, arrivals, options), {
      maxItems: maxRequests,
      size,
    });
    batches.set(model.id, batch);
    return batch(arrival);
  };
};

const storeBatch = async (
  model: QueueModelDeclaration,
  arrivals: readonly SubmissionItem[],
  options: SubmissionBatchOptions,
): Promise<readonly (SubmissionResult | Promise<SubmissionResult>)[]> => {
  try {
    return await storeLocked(model, arrivals, options);
  } catch (error) {
    // a single request may have caused the error, so each one is retried alone
    return arrivals.map((arrival) => retryAlone(model, arrival, { ...options, error, of: arrivals.length }));
  }
};

interface RetryContext extends SubmissionBatchOptions {
  /** Error of the batch. */
  readonly error: unknown;
  /** Number of requests in the batch. */
  readonly of: number;
}

const retryAlone = async (
  model: QueueModelDeclaration,
  arrival: SubmissionItem,
  { error, of, ...options }: RetryContext,
): Promise<SubmissionResult> => {
  const again = of > 1 ? storeLocked(model, [arrival], options) : Promise.reject(error as Error);
  const [opened] = await again.catch(async (reason: unknown) => {
    // another process may have stored the same key first
    const record = await findKnown(arrival, options);
    if (record === undefined) throw reason;
    return [{ kind: 'known', record } as const];
  });
  return opened as SubmissionResult;
};

const findKnown = async (
  { key }: SubmissionItem,
  { database }: SubmissionBatchOptions,
): Promise<IdempotencyRecord | undefined> =>
  key === null ? undefined : (await findIdempotency(database, [key])).get(lookupKeyOf(key));

const storeLocked = async (
  model: QueueModelDeclaration,
  arrivals: readonly SubmissionItem[],
  { modelLocks, quotas, onAdmitted }: SubmissionBatchOptions,
): Promise<readonly SubmissionResult[]> => {
  const { arrived, others } = await modelLocks.hold(model, (locked) =>
    store(model, arrivals, { ...locked, quotas }),
  );
  if (others.length > 0) onAdmitted(others);
  return arrived;
};

const store = async (
  model: QueueModelDeclaration,
  arrivals: readonly SubmissionItem[],
  { statements, fill, quotas }: LockedModel & Pick<SubmissionBatchOptions, 'quotas'>,
): Promise<{ readonly arrived: readonly SubmissionResult[]; readonly others: readonly string[] }> => {
  const keys = arrivals.flatMap(({ key }) => key ?? []);
  const { fresh: arrivedNew, known } = splitKnown(arrivals, await findIdempotency(statements, keys));
  const { accepted: fresh, refused } = await splitByQuota(arrivedNew, statements, quotas);
  await insertIdempotency(statements, fresh.flatMap(toRecord));
  const requests = fresh.map(({ request }) => request);
  await insertRequests(statements, requests);
  const admitted = new Set(await fill(requests));
  const waiting = requests.filter(({ id }) => !admitted.has(id));
  const positions = await positionsOf(waiting, statements);
  const arrived = arrivals.map((arrival): SubmissionResult => {
    const record = known.get(arrival);
    if (record !== undefined) return { kind: 'known', record };
    if (refused.has(arrival)) return { kind: 'refused' };
    const { id } = arrival.request;
    return { kind: 'opened', admitted: admitted.has(id), position: positions.get(id) ?? 0 };
  });
  for (const { request } of fresh) admitted.delete(request.id);
  return { arrived, others: [...admitted] };
};

/** Refuses the requests that exceed the quota of the queue, the last of an account first. */
const splitByQuota = async (
  arrivals: readonly SubmissionItem[],
  statements: LockedModel['statements'],
  quotas: Pick<Quotas, 'remainingOf'>,
): Promise<{
  readonly accepted: readonly SubmissionItem[];
  readonly refused: ReadonlySet<SubmissionItem>;
}> => {
  const accounts = arrivals.map(({ request }) => request.account);
  const remaining = await quotas.remainingOf(statements, 'queued', accounts);
  const refused = new Set<SubmissionItem>();
  for (const arrival of arrivals) {
    const { account } = arrival.request;
    const left = remaining.get(account);
    if (left === 0) refused.add(arrival);
    else if (left !== undefined) remaining.set(account, left - 1);
  }
  return { accepted: arrivals.filter((arrival) => !refused.has(arrival)), refused };
};

const toRecord = ({ request, key }: SubmissionItem): Parameters<typeof insertIdempotency>[1] =>
  key === null ? [] : [{ ...key, request: request.id, created: request.created }];

/** Separates new from known requests; of several with the same key only the first is new. */
const splitKnown = (
  arrivals: readonly SubmissionItem[],
  found: Map<string, IdempotencyRecord>,
): {
  readonly fresh: readonly SubmissionItem[];
  readonly known: ReadonlyMap<SubmissionItem, IdempotencyRecord>;
} => {
  const known = new Map<SubmissionItem, IdempotencyRecord>();
  const fresh = arrivals.filter((arrival) => {
    const { request, key } = arrival;
    if (key === null) return true;
    const record = found.get(lookupKeyOf(key));
    if (record !== undefined) known.set(arrival, record);
    else found.set(lookupKeyOf(key), { fingerprint: key.fingerprint, request: request.id });
    return record === undefined;
  });
  return { fresh, known };
};

/** Returns the number of requests ahead of each of the newest waiting requests of a model, at most `maxPosition`. */
const positionsOf = async (
  newest: readonly NewRequest[],
  statements: LockedModel['statements'],
): Promise<ReadonlyMap<string, number>> => {
  const positions = new Map<string, number>();
  const before = new Map<number, number>();
  for (const request of newest.toReversed()) {
    const { id, priority } = request;
    // the newest are counted too, and taken off from the last on
    const count =
      before.get(priority) ?? (await countFromPriority(statements, request, maxPosition + newest.length));
    before.set(priority, count - 1);
    positions.set(id, Math.min(maxPosition, count - 1));
  }
  return positions;
};
