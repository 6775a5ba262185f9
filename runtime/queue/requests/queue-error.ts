/** Errors of the queue: a status and a detail, in the form of the wire. */
import type { Detail } from './outcome.js';

/** Error types by status, for errors that name no other. */
const usualTypes: ReadonlyMap<number, string> = new Map([
  [400, 'bad_request'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [405, 'method_not_allowed'],
  [410, 'expired'],
  [413, 'payload_too_large'],
  [415, 'unsupported_media_type'],
  [422, 'validation_error'],
  [429, 'rate_limit'],
  [500, 'internal_error'],
  [503, 'service_unavailable'],
]);

/** A rejected request; `detail` is part of the response. */
export class QueueError extends Error {
  readonly status: number;
  readonly detail: string | readonly Detail[];
  readonly errorType: string;
  /** Further members of the body. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    detail: string | readonly Detail[],
    { errorType, members = {}, headers = {} }: QueueErrorOptions = {},
  ) {
    super(typeof detail === 'string' ? detail : detail.map(({ msg }) => msg).join('; '));
    this.name = 'QueueError';
    this.status = status;
    this.detail = detail;
    this.errorType = errorType ?? usualTypes.get(status) ?? 'bad_request';
    this.members = members;
    this.headers = headers;
  }
}

export interface QueueErrorOptions {
  /** Defaults to the usual one of the status. */
  readonly errorType?: string | undefined;
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Creates an error with a status and a sentence; `errorType` tells clients whether to retry. */
export const queueError = (status: number, detail: string, errorType?: string): QueueError =>
  new QueueError(status, detail, { errorType });

/** Returns a 422 error for a part of the request other than its input. */
export const partError = (loc: readonly string[], msg: string, type: string): QueueError =>
  new QueueError(422, [{ loc, msg, type }]);
