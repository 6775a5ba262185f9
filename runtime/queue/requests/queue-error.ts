/** Errors of the queue: a status and a detail, in the form of the wire. */
import type { Detail } from './outcome.js';

/** A rejected request; `detail` is part of the response. */
export class QueueError extends Error {
  readonly status: number;
  readonly detail: string | readonly Detail[];
  readonly errorType: string | null;
  /** Further members of the body. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    detail: string | readonly Detail[],
    { errorType = null, members = {}, headers = {} }: QueueErrorOptions = {},
  ) {
    super(typeof detail === 'string' ? detail : detail.map(({ msg }) => msg).join('; '));
    this.name = 'QueueError';
    this.status = status;
    this.detail = detail;
    this.errorType = errorType;
    this.members = members;
    this.headers = headers;
  }
}

export interface QueueErrorOptions {
  readonly errorType?: string | null;
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export const queueError = (status: number, detail: string, errorType?: string): QueueError =>
  new QueueError(status, detail, { errorType: errorType ?? null });

/** Returns a 422 error for a part of the request other than its input. */
export const partError = (loc: readonly string[], msg: string, type: string): QueueError =>
  new QueueError(422, [{ loc, msg, type }]);
