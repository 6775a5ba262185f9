/** Sends a delivery attempt, with a new signature and only to allowed addresses, and stores its result. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { QueueObservation } from '../../observe.js';
import type { Database } from '../../databases/contract.js';
import { untraced, type SpanStart, type Tracing } from '../../tracing/tracing.js';
import { createBatch, batchWrites } from '../../concurrency/batch.js';
import {
  endDeliveries,
  insertAttempts,
  scheduleNext,
  type Delivery,
  type DeliveryState,
  type NewAttempt,
} from '../store/deliveries.js';
import { findRequest, readPayloads } from '../store/requests.js';
import { signingKeys, webhookSecrets } from '../store/secrets.js';
import { createAgents, type Agents } from './agents.js';
import { attempt, type AttemptResult } from './attempt.js';
import { testBody, webhookBody } from './body.js';
import type { Resolve } from './connector.js';
import { attemptTimeout, maxAttempts, retryDelay } from './retries.js';
import { signatureHeaders, type Signers } from './signature.js';
import { findTargetError, type TargetPolicy } from './target.js';

export interface SenderOptions {
  readonly database: Database;
  readonly policy: TargetPolicy;
  /** Resolves host names; defaults to the resolver of the system. */
  readonly resolve?: Resolve;
  /** Returns the milliseconds until the next attempt. */
  readonly retryDelay?: typeof retryDelay;
  readonly userAgent: string;
  /** Records attempts as spans. */
  readonly tracing?: Tracing;
  readonly observe?: (observation: QueueObservation) => void;
}

/** The result of an attempt; `after` is the milliseconds until the next one. */
export type SendResult =
  | { readonly kind: 'accepted'; readonly attempts: number }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly after: number };

export interface Sender {
  /** Attempts a delivery that is pending. */
  send(delivery: Delivery): Promise<SendResult>;
  close(): Promise<void>;
}

/** Creates the sender of this process, with connections that it keeps for the next deliveries. */
export const createSender = (options: SenderOptions): Sender => {
  const { database, policy, resolve, observe = () => undefined } = options;
  const agents = createAgents({ policy, ...(resolve !== undefined && { resolve }) });
  const signersOf = createSigners(database);
  const record = createRecorder(database);
  return {
    async send(delivery) {
      const number = delivery.attempts + 1;
      const created = Date.now();
      const result = await post({ delivery, number, agents, signersOf }, options);
      const sent = toSendResult(result, number, options.retryDelay ?? retryDelay);
      const { status } = result;
      const error = result.kind === 'accepted' ? null : result.error;
      const milliseconds = Date.now() - created;
      observe({
        kind: 'webhookAttempted',
        outcome: outcomeOf(result),
        ms: milliseconds,
        lagMs: result.kind === 'accepted' ? Date.now() - delivery.created : null,
      });
      await record({
        attempt: { delivery: delivery.id, number, status, error, milliseconds, created },
        state: endStates[sent.kind],
        next: sent.kind === 'failed' ? Date.now() + sent.after : null,
      });
      return sent;
    },
    close: () => agents.close(),
  };
};

/** Returns the class of a result: `ok`, `3xx`, `4xx`, `5xx`, or the name of an error without a response. */
const outcomeOf = (result: AttemptResult): string => {
  if (result.kind === 'accepted') return 'ok';
  return result.status === null ? result.error : `${Math.floor(result.status / 100)}xx`;
};

const endStates: Readonly<Record<SendResult['kind'], DeliveryState>> = {
  accepted: 'delivered',
  refused: 'failed',
  failed: 'pending',
};

const toSendResult = (result: AttemptResult, number: number, delay: typeof retryDelay): SendResult => {
  if (result.kind === 'accepted') return { kind: 'accepted', attempts: number };
  const reason = result.status === null ? result.error : `status ${result.status}`;
  if (result.kind === 'refused' || number >= maxAttempts) return { kind: 'refused', reason };
  return { kind: 'failed', reason, after: delay(number, result.after) };
};

interface PostOptions {
  readonly delivery: Delivery;
  readonly number: number;
  readonly agents: Agents;
  readonly signersOf: (account: string) => Promise<Signers>;
}

const post = async (
  { delivery, number, agents, signersOf }: PostOptions,
  { database, policy, userAgent, tracing = untraced }: SenderOptions,
): Promise<AttemptResult> => {
  const { id, account, url } = delivery;
  if (findTargetError(url, policy) !== null)
    return { kind: 'refused', status: null, error: 'blocked_address' };
  const [content, signers] = await Promise.all([contentOf(delivery, database), signersOf(account)]);
  if (content === null) return { kind: 'refused', status: null, error: 'expired' };
  const { body, traceparent: parent } = content;
  const timestamp = Math.floor(Date.now() / 1000);
  const signed = { id, requestId: delivery.request ?? id, account, timestamp, body };
  return tracing.span(spanOf(delivery, number, parent), async ({ traceparent, set, fail }) => {
    const result = await attempt({
      url,
      headers: {
        'content-type': 'application/json',
        'user-agent': userAgent,
        ...(traceparent !== null && { traceparent }),
        ...signatureHeaders(signed, signers),
      },
      body,
      agent: agents.of(account, url),
      signal: AbortSignal.timeout(attemptTimeout(number)),
    });
    if (result.status !== null) set({ 'http.response.status_code': result.status });
    if (result.kind !== 'accepted') fail(result.status === null ? result.error : String(result.status));
    return result;
  });
};

/** Returns the span of an attempt; path and query of the URL may contain secrets. */
const spanOf = ({ id, request, url }: Delivery, number: number, parent: string | null): SpanStart => {
  const { hostname, port, protocol } = new URL(url);
  const usualPort = protocol === 'https:' ? 443 : 80;
  return {
    name: 'POST',
    kind: 'client',
    parent,
    attributes: {
      'http.request.method': 'POST',
      'server.address': hostname,
      'server.port': port === '' ? usualPort : Number(port),
      'http.request.resend_count': number - 1,
      'svc.delivery.id': id,
      ...(request !== null && { 'svc.request.id': request }),
    },
  };
};

interface Content {
  readonly body: Buffer;
  readonly traceparent: string | null;
}

/** Returns what a delivery sends, and the trace that it belongs to; null if its request has expired. */
const contentOf = async ({ id, request }: Delivery, database: Database): Promise<Content | null> => {
  if (request === null) return { body: testBody(id), traceparent: null };
  const head = await findRequest(database, request);
  if (head?.httpStatus === null || head === null) return null;
  const { output } = await readPayloads(database, request);
  const { httpStatus, traceparent } = head;
  return { body: webhookBody({ id: request, httpStatus, output }), traceparent };
};

/** Reads the secrets and keys for every attempt, as they may change; concurrent attempts share one read. */
const createSigners = (database: Database): ((account: string) => Promise<Signers>) => {
  const toKey = createKeyReader();
  return createBatch(
    async (accounts: readonly string[]) => {
      const now = Date.now();
      const { signer } = await signingKeys(database, now);
      const key = toKey(signer.privateKey);
      const secrets = new Map<string, Promise<readonly string[]>>();
      for (const account of new Set(accounts)) secrets.set(account, webhookSecrets(database, account, now));
      return accounts.map(async (account) => ({ key, secrets: (await secrets.get(account)) ?? [] }));
    },
    { maxItems: 64 },
  );
};

/** Parses private keys and caches the last one, because parsing takes longer than signing. */
const createKeyReader = (): ((pem: string) => KeyObject) => {
  let last: { readonly pem: string; readonly key: KeyObject } | null = null;
  return (pem) => {
    if (last?.pem !== pem) last = { pem, key: createPrivateKey(pem) };
    return last.key;
  };
};

interface AttemptRecord {
  readonly attempt: NewAttempt;
  /** State of the delivery after the attempt. */
  readonly state: DeliveryState;
  /** Time of the next attempt. */
  readonly next: number | null;
}

/** Stores the attempts that end at about the same time in one transaction. */
const createRecorder = (database: Database): ((record: AttemptRecord) => Promise<void>) =>
  batchWrites((all: readonly AttemptRecord[]) => {
    const now = Date.now();
    return database.transaction(async (statements) => {
      await insertAttempts(
        statements,
        all.map(({ attempt: each }) => each),
      );
      for (const state of ['delivered', 'failed'] as const) {
        const ids = all.filter((each) => each.state === state).map(({ attempt: { delivery } }) => delivery);
        await endDeliveries(statements, ids, { state, now });
      }
      for (const { attempt: each, next } of all)
        if (next !== null) await scheduleNext(statements, { id: each.delivery, next, postponed: null });
    });
  });
