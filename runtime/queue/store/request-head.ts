/** A request of the queue without its payloads, and how a row becomes one. */
import type { SystemRow } from '../../execute/system-rows.js';

/** `waiting` for a slot, `admitted` to a slot, `running` in a worker, or `ended`. */
export type RequestState = 'waiting' | 'admitted' | 'running' | 'ended';

export interface NewRequest {
  readonly id: string;
  readonly account: string;
  readonly model: string;
  /** 0 is normal; lower values run later. */
  readonly priority: number;
  /** True where attempts that fail for reasons of the platform are retried. */
  readonly retry: boolean;
  /** JSON. */
  readonly input: string;
  readonly webhook: string | null;
  /** JSON. */
  readonly tags: string | null;
  /** True where the input and the result are kept after delivery. */
  readonly storeIo: boolean;
  /** Seconds that result files can be downloaded; `null` for the retention of the server. */
  readonly filesTtl: number | null;
  /** `traceparent` of the submit; null if it belongs to no trace. */
  readonly traceparent: string | null;
  readonly created: number;
  readonly startBefore: number | null;
}

/** A request without its payloads; all times are Unix times in milliseconds. */
export interface RequestHead {
  readonly id: string;
  readonly account: string;
  readonly model: string;
  readonly state: RequestState;
  readonly priority: number;
  readonly attempts: number;
  readonly retry: boolean;
  /** 1, and one more for each time that an operator had it run again from the start. */
  readonly round: number;
  readonly httpStatus: number | null;
  readonly errorType: string | null;
  readonly webhook: string | null;
  readonly tags: string | null;
  readonly storeIo: boolean;
  readonly filesTtl: number | null;
  readonly traceparent: string | null;
  readonly created: number;
  readonly begun: number | null;
  readonly ended: number | null;
  readonly startBefore: number | null;
}

export const headColumns = [
  'id',
  'account',
  'model',
  'state',
  'priority',
  'attempts',
  'retry',
  'round',
  'http_status',
  'error_type',
  'webhook',
  'tags',
  'store_io',
  'files_ttl',
  'traceparent',
  'date_created',
  'date_begun',
  'date_ended',
  'start_before',
] as const;

/** Converts a row; times are Unix times in milliseconds. */
export const toHead = (row: Pick<SystemRow<'svc_requests'>, (typeof headColumns)[number]>): RequestHead => ({
  id: row.id,
  account: row.account,
  model: row.model,
  state: row.state as RequestState,
  priority: row.priority,
  attempts: row.attempts,
  retry: row.retry === 1,
  round: row.round,
  httpStatus: row.http_status,
  errorType: row.error_type,
  webhook: row.webhook,
  tags: row.tags,
  storeIo: row.store_io === 1,
  filesTtl: row.files_ttl,
  traceparent: row.traceparent,
  created: row.date_created,
  begun: row.date_begun,
  ended: row.date_ended,
  startBefore: row.start_before,
});

/** Returns the head of a newly stored request. */
export const toNewHead = (request: NewRequest, state: 'waiting' | 'admitted'): RequestHead => ({
  id: request.id,
  account: request.account,
  model: request.model,
  state,
  priority: request.priority,
  attempts: 0,
  retry: request.retry,
  round: 1,
  httpStatus: null,
  errorType: null,
  webhook: request.webhook,
  tags: request.tags,
  storeIo: request.storeIo,
  filesTtl: request.filesTtl,
  traceparent: request.traceparent,
  created: request.created,
  begun: null,
  ended: null,
  startBefore: request.startBefore,
});
