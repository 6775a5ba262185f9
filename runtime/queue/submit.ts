/** Takes requests: checks what has to be known at once, stores them, and only then tells Temporal. */
import { createHash } from 'node:crypto';
import type { Database } from '../execute/database.js';
import type { QueueModelDeclaration } from '../queue-model.js';
import type { Desk } from './desk.js';
import { createId } from './ids.js';
import { findIdempotency, insertIdempotency } from './store/idempotency.js';
import {
  countBefore,
  countWaiting,
  findRequest,
  type NewRequest,
  type RequestHead,
} from './store/requests.js';
import type { SubmitOptions } from './submit-options.js';
import { refuse, refusePart } from './wire.js';

export interface SubmitServices {
  readonly database: Database;
  readonly desk: Desk;
  readonly onLoss: (error: unknown) => void;
}

export interface Submitted {
  readonly request: RequestHead;
  /** Requests before it. */
  readonly position: number;
}

export interface Submission {
  readonly account: string;
  readonly model: QueueModelDeclaration;
  /** JSON. */
  readonly input: unknown;
  readonly options: SubmitOptions;
}

/** @throws 422 for an idempotency key that stands for another request, 429 where too many wait */
export const submit = async (
  { account, model, input, options }: Submission,
  services: SubmitServices,
): Promise<Submitted> => {
  const { database } = services;
  if (options.maxQueueLength !== null && (await countWaiting(database, model.id)) > options.maxQueueLength) {
    throw refuse(429, `more than ${options.maxQueueLength} requests wait already`, 'queue_full');
  }
  const created = Date.now();
  const { webhook, priority, retry, storeIo, filesTtl, startTimeout } = options;
  const row: NewRequest = {
    id: createId(),
    account,
    model: model.id,
    priority,
    retry,
    input: JSON.stringify(input),
    webhook,
    tags: options.tags,
    storeIo,
    filesTtl,
    created,
    startBefore: startTimeout === null ? null : created + Math.ceil(startTimeout * 1000),
  };
  return options.idempotencyKey === null ? begin(row, null, services) : submitOnce(row, options, services);
};

/** Tells Temporal; where it is away the row waits for the sweep. */
const begin = async (
  row: NewRequest,
  also: Parameters<Desk['open']>[1],
  { database, desk, onLoss }: SubmitServices,
): Promise<Submitted> => {
  const { admitted } = await desk.open(row, also);
  const request: RequestHead = {
    ...row,
    state: admitted ? 'admitted' : 'waiting',
    attempts: 0,
    httpStatus: null,
    errorType: null,
    begun: null,
    ended: null,
  };
  await desk.announce(request).catch(onLoss);
  return { request, position: admitted ? 0 : await countBefore(database, row) };
};

/** Same key and same content: the first request. Of several at once the database lets one in. */
const submitOnce = async (
  row: NewRequest,
  options: SubmitOptions,
  services: SubmitServices,
): Promise<Submitted> => {
  const name = { account: row.account, name: hash(options.idempotencyKey ?? '') };
  const fingerprint = hash(
    JSON.stringify([
      row.model,
      row.input,
      row.webhook,
      row.priority,
      row.retry,
      row.storeIo,
      row.filesTtl,
      row.tags,
    ]),
  );
  const earlier = await replay(name, fingerprint, services);
  if (earlier !== null) return earlier;
  const record = { ...name, fingerprint, request: row.id, created: row.created };
  try {
    return await begin(row, (statements) => insertIdempotency(statements, record), services);
  } catch (error) {
    const other = await replay(name, fingerprint, services);
    if (other === null) throw error;
    return other;
  }
};

const replay = async (
  name: Parameters<typeof findIdempotency>[1],
  fingerprint: string,
  { database }: SubmitServices,
): Promise<Submitted | null> => {
  const found = await findIdempotency(database, name);
  if (found === null) return null;
  if (found.fingerprint !== fingerprint) {
    const where = ['header', 'Idempotency-Key'];
    throw refusePart(where, 'this key was used for another request', 'value_error.idempotency_key');
  }
  const request = await findRequest(database, found.request);
  if (request === null) throw refuse(410, 'the request of this idempotency key is not kept any more');
  return { request, position: request.state === 'waiting' ? await countBefore(database, request) : 0 };
};

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
