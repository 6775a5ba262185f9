/** The part of the configuration that the queue uses. */
import type { Config } from '../config/config.js';
import type { ObjectStoreAddress } from '../config/object-store.js';
import type { Limits } from './store/quotas.js';
import type { TargetPolicy } from './webhooks/target.js';

export type { ObjectStoreAddress };

export interface QueueSettings {
  /** `null` without a Temporal server; requests then stay in the queue. */
  readonly temporalAddress: string | null;
  readonly temporalNamespace: string | null;
  /** Returns the base URL of the server without a trailing slash; known once it listens. */
  readonly publicUrl: () => string;
  readonly queueUrl: () => string;
  /** Milliseconds that results are kept. */
  readonly resultTtl: number;
  readonly fileTtl: number;
  readonly filesDir: string;
  /** Object store of the files, which are in `filesDir` if it is null. */
  readonly filesStore: ObjectStoreAddress | null;
  /** Milliseconds that a worker that stops waits for the models that it runs. */
  readonly drain: number;
  readonly webhookPolicy: TargetPolicy;
  /** Limits of accounts for which neither they nor their roles have any. */
  readonly quotas: Limits;
  /** HMAC secrets of API keys and file URLs, newest first; at least one. */
  readonly secrets: readonly Buffer[];
}

/**
 * Returns the settings. `url` is read each time, because a server that listens on port 0 knows its URL only
 * later.
 */
export const queueSettings = (
  { queue, temporal, webhooks }: Config,
  { url, secrets }: { readonly url: () => string; readonly secrets: readonly Buffer[] },
): QueueSettings => ({
  temporalAddress: temporal.address,
  temporalNamespace: temporal.namespace,
  publicUrl: url,
  queueUrl: () => queue.url ?? `${url()}/queue`,
  resultTtl: queue.resultTtl,
  fileTtl: queue.fileTtl,
  filesDir: queue.filesDir,
  filesStore: queue.filesStore,
  drain: queue.drain,
  webhookPolicy: { allowed: webhooks.allowCidrs, http: webhooks.allowHttp },
  quotas: queue.quotas,
  secrets,
});
