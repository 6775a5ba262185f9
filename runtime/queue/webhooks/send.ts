/** One attempt at a delivery: its body, signed anew, sent to where it may go, and written down with what came of it. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Database } from '../../databases/contract.js';
import { createBatch, batchWrites } from '../../concurrency/batch.js';
import {
  endDeliveries,
  insertAttempts,
  type Delivery,
  type DeliveryState,
  type MadeAttempt,
} from '../store/deliveries.js';
import { findRequest, readPayloads } from '../store/requests.js';
import { signingKeys, webhookSecrets } from '../store/secrets.js';
import { createAgents, type Agents } from './agents.js';
import { attempt, type AttemptResult } from './attempt.js';
import { testBody, webhookBody } from './body.js';
import type { Resolve } from './connector.js';
import { attemptTimeout, maxAttempts, retryDelay } from './retries.js';
import { signatureHeaders, type Signers } from './signature.js';
import { refusalOf, type TargetPolicy } from './target.js';

export interface SenderOptions {
  readonly database: Database;
  readonly policy: TargetPolicy;
  /** How names become addresses; the system's way where absent. */
  readonly resolve?: Resolve;
  /** Milliseconds until the next attempt. */
  readonly retryDelay?: typeof retryDelay;
  readonly userAgent: string;
}

/** What came of an attempt: how many were needed, or why, and after how many milliseconds, there is another one. */
export type Sent =
  | { readonly kind: 'accepted'; readonly attempts: number }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly after: number };

export interface Sender {
  /** Attempts a delivery that is pending. */
  send(delivery: Delivery): Promise<Sent>;
  close(): Promise<void>;
}

export const createSender = (options: SenderOptions): Sender => {
  const { database, policy, resolve } = options;
  const agents = createAgents({ policy, ...(resolve !== undefined && { resolve }) });
  const signersOf = createSigners(database);
  const record = createRecord(database);
  return {
    async send(delivery) {
      const number = delivery.attempts + 1;
      const created = Date.now();
      const result = await post({ delivery, number, agents, signersOf }, options);
      const sent = judge(result, number, options.retryDelay ?? retryDelay);
      const { status } = result;
      const error = result.kind === 'accepted' ? null : result.error;
      const milliseconds = Date.now() - created;
      await record({
        attempt: { delivery: delivery.id, number, status, error, milliseconds, created },
        state: endStates[sent.kind],
      });
      return sent;
    },
    close: () => agents.close(),
  };
};

const endStates: Readonly<Record<Sent['kind'], DeliveryState>> = {
  accepted: 'delivered',
  refused: 'failed',
  failed: 'pending',
};

const judge = (result: AttemptResult, number: number, delay: typeof retryDelay): Sent => {
  if (result.kind === 'accepted') return { kind: 'accepted', attempts: number };
  const reason = result.status === null ? result.error : `status ${result.status}`;
  if (result.kind === 'refused' || number >= maxAttempts) return { kind: 'refused', reason };
  return { kind: 'failed', reason, after: delay(number, result.after) };
};

interface Post {
  readonly delivery: Delivery;
  readonly number: number;
  readonly agents: Agents;
  readonly signersOf: (account: string) => Promise<Signers>;
}

const post = async (
  { delivery, number, agents, signersOf }: Post,
  { database, policy, userAgent }: SenderOptions,
): Promise<AttemptResult> => {
  const { id, account, url } = delivery;
  if (refusalOf(url, policy) !== null) return { kind: 'refused', status: null, error: 'blocked_address' };
  const [body, signers] = await Promise.all([bodyOf(delivery, database), signersOf(account)]);
  if (body === null) return { kind: 'refused', status: null, error: 'expired' };
  const timestamp = Math.floor(Date.now() / 1000);
  const signed = { id, requestId: delivery.request ?? id, account, timestamp, body };
  return attempt({
    url,
    headers: {
      'content-type': 'application/json',
      'user-agent': userAgent,
      ...signatureHeaders(signed, signers),
    },
    body,
    agent: agents.of(account, url),
    signal: AbortSignal.timeout(attemptTimeout(number)),
  });
};

/** `null`: the request is not kept any more. */
const bodyOf = async ({ id, request }: Delivery, database: Database): Promise<Buffer | null> => {
  if (request === null) return testBody(id);
  const head = await findRequest(database, request);
  if (head?.httpStatus === null || head === null) return null;
  const { output } = await readPayloads(database, request);
  return webhookBody({ id: request, httpStatus: head.httpStatus, output });
};

/** Read for every attempt, as they may be replaced at any time; for attempts at the same time once. */
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

/** To read a key takes longer than to sign with it: the last one is kept. */
const createKeyReader = (): ((pem: string) => KeyObject) => {
  let last: { readonly pem: string; readonly key: KeyObject } | null = null;
  return (pem) => {
    if (last?.pem !== pem) last = { pem, key: createPrivateKey(pem) };
    return last.key;
  };
};

interface Made {
  readonly attempt: MadeAttempt;
  /** Of the delivery, after it. */
  readonly state: DeliveryState;
}

/** What ends at about the same time is written in one transaction. */
const createRecord = (database: Database): ((made: Made) => Promise<void>) =>
  batchWrites((all: readonly Made[]) => {
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
    });
  });
