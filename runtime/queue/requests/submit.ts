/** Checks quotas and idempotency keys of submitted requests, and stores them. Inputs are checked when they run. */
import { createHash } from 'node:crypto';
import type { Database } from '../../databases/contract.js';
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import type { RequestLifecycle } from './lifecycle.js';
import { createId } from '../store/ids.js';
import {
  findIdempotency,
  lookupKeyOf,
  type IdempotencyKey,
  type IdempotencyRecord,
} from '../store/idempotency.js';
import { countAhead, countWaiting } from '../store/waiting-counts.js';
import { findRequest } from '../store/requests.js';
import { toNewHead, type NewRequest, type RequestHead } from '../store/request-head.js';
import type { Quotas } from './quotas.js';
import { queueError, partError } from './queue-error.js';

export interface SubmitServices {
  readonly database: Database;
  readonly lifecycle: RequestLifecycle;
  readonly quotas: Quotas;
}

export interface Submitted {
  readonly request: RequestHead;
  /** Number of requests ahead of it. */
  readonly position: number;
}

/** Options of a submission, which every protocol reads in its own way. */
export interface SubmitOptions {
  /** URL that receives the result; `null` for none. */
  readonly webhook: string | null;
  /** Requests of the model that may wait before this one is refused; `null` for no limit. */
  readonly maxQueueLength: number | null;
  /** Text that a repeated submission has as well; `null` for none. */
  readonly idempotencyKey: string | null;
  /** Seconds within which processing must begin; `null` for no limit. */
  readonly startTimeout: number | null;
  /** 0 is normal; lower values run later. */
  readonly priority: number;
  /** False where an attempt that failed is the last. */
  readonly retry: boolean;
  /** False where input and output are deleted soon after the end of the request. */
  readonly storeIo: boolean;
  /** Seconds that result files can be downloaded; `null` for the retention of the server. */
  readonly filesTtl: number | null;
  /** Tags as a JSON object of texts; `null` for none. */
  readonly tags: string | null;
  /** Trace and span that the request belongs to; `null` if there is none. */
  readonly traceparent: string | null;
}

export interface Submission {
  /** Id of the request, where a file of it exists already. */
  readonly id?: string;
  readonly account: string;
  readonly model: QueueModelDeclaration;
  /** JSON. */
  readonly input: unknown;
  readonly options: SubmitOptions;
}

/**
 * Stores a request.
 * @throws 422 when its idempotency key belongs to another request, 429 when the queue is full or the account has reached a
 *   quota
 */
export const submit = async (
  { id = createId(), account, model, input, options }: Submission,
  services: SubmitServices,
): Promise<Submitted> => {
  const { database, lifecycle, quotas } = services;
  const created = Date.now();
  const { webhook, priority, retry, storeIo, filesTtl, startTimeout } = options;
  const row: NewRequest = {
    id,
    account,
    model: model.id,
    priority,
    retry,
    input: JSON.stringify(input),
    webhook,
    tags: options.tags,
    storeIo,
    filesTtl,
    traceparent: options.traceparent,
    created,
    startBefore: startTimeout === null ? null : created + Math.ceil(startTimeout * 1000),
  };
  const key = options.idempotencyKey === null ? null : keyOf(row, options.idempotencyKey);
  try {
    await requireCapacity(row, options, services);
  } catch (error) {
    // a repeated submission takes no capacity
    const known = key === null ? undefined : (await findIdempotency(database, [key])).get(lookupKeyOf(key));
    if (known === undefined) throw error;
    return replay(known, key?.fingerprint, database);
  }
  const arrived = await lifecycle.open(row, key);
  if (arrived.kind === 'known') return replay(arrived.record, key?.fingerprint, database);
  if (arrived.kind === 'refused') throw await quotas.refuseQueued(account);
  const { admitted, position } = arrived;
  return { request: toNewHead(row, admitted ? 'admitted' : 'waiting'), position };
};

/** @throws 429 when more requests wait than the client wants, or the account has reached a quota */
const requireCapacity = async (
  { account, model }: NewRequest,
  { maxQueueLength }: SubmitOptions,
  { database, quotas }: SubmitServices,
): Promise<void> => {
  if (maxQueueLength !== null && (await countWaiting(database, model, maxQueueLength + 1)) > maxQueueLength)
    throw queueError(429, `more than ${maxQueueLength} requests are already waiting`, 'queue_full');
  await quotas.requireSubmit(account);
};

const keyOf = (row: NewRequest, text: string): IdempotencyKey => {
  const { account, model, input, webhook, priority, retry, storeIo, filesTtl, tags } = row;
  const content = [model, input, webhook, priority, retry, storeIo, filesTtl, tags];
  return { account, name: hash(text), fingerprint: hash(JSON.stringify(content)) };
};

/** Returns the first request of an idempotency key. @throws 422 if the content differs, 410 if it has expired */
const replay = async (
  record: IdempotencyRecord,
  fingerprint: string | undefined,
  database: Database,
): Promise<Submitted> => {
  if (record.fingerprint !== fingerprint) {
    const where = ['header', 'Idempotency-Key'];
    throw partError(where, 'this key was used for another request', 'value_error.idempotency_key');
  }
  const request = await findRequest(database, record.request);
  if (request === null) throw queueError(410, 'the request of this idempotency key has expired');
  return { request, position: request.state === 'waiting' ? await countAhead(database, request) : 0 };
};

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
