/** What enters the pipeline and what leaves it, whatever door it came through. */

import type { Readable } from 'node:stream';

export interface ApiRequest {
  /** Unique per request: answered as `X-Request-Id` and named in logs. */
  readonly id: string;
  /** Upper case. */
  readonly method: string;
  /** As sent, without prefix and query string. */
  readonly path: string;
  /** As sent, without `?`. */
  readonly query: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Of the caller, behind the proxies that are trusted (`TRUST_PROXY`); empty where the connection is gone. */
  address(): string;
  /** Whether the caller came over TLS, or would, where the server is known by an https address. */
  isSecure(): boolean;
  /** Whether a browser says that a page of somebody else sent it. */
  isForeign(): boolean;
  /** Aborted when the caller leaves before it is answered. */
  gone(): AbortSignal;
  /** The whole body; fails with CONTENT_TOO_LARGE. */
  body(): Promise<Buffer>;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`, one header each. */
  readonly cookies?: readonly string[];
  /** A stream is sent as it comes, without a length unless its header is set. */
  readonly body: Buffer | string | Readable | null;
}
