/** What the queue needs of the configuration. */
import type { Config } from '../config/config.js';
import type { TargetPolicy } from './webhooks/target.js';

export interface QueueSettings {
  /** `null`: no server; requests wait. */
  readonly temporalAddress: string | null;
  readonly temporalNamespace: string | null;
  /** Address of the server, without slash at its end. Known once it listens. */
  readonly publicUrl: () => string;
  readonly queueUrl: () => string;
  /** Milliseconds. */
  readonly resultTtl: number;
  readonly fileTtl: number;
  readonly filesDir: string;
  readonly webhookPolicy: TargetPolicy;
  /** What keys and file URLs are hashed with, newest first; at least one. */
  readonly secrets: readonly Buffer[];
}

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
  webhookPolicy: { allowed: webhooks.allowCidrs, http: webhooks.allowHttp },
  secrets,
});
