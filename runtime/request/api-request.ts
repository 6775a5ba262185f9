/** The request and response of the API, independent of the listener. */

import type { Readable } from 'node:stream';

/** A request, as both listeners hand it to the handlers of routes. */
export interface ApiRequest {
  /** Unique per request: returned as `X-Request-Id` and written to logs. */
  readonly id: string;
  /** Upper case. */
  readonly method: string;
  /** The path as sent, without prefix and query string. */
  readonly path: string;
  /** The query string as sent, without `?`. */
  readonly query: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * Returns the client's address, taking trusted proxies into account (`TRUST_PROXY`); empty where the
   * connection is closed.
   */
  address(): string;
  /** Returns whether the client uses TLS, or the server's configured address is https. */
  isSecure(): boolean;
  /** Returns whether a browser sent the request from a page of an untrusted origin. */
  isUntrustedOrigin(): boolean;
  /** Returns a signal that is aborted when the client disconnects before the response. */
  closeSignal(): AbortSignal;
  /** Calls back when the response has been sent, or the client has disconnected before. */
  onClose(callback: () => void): void;
  /**
   * Reads the whole body; the first call decides about its size.
   * @param maxSize in bytes; defaults to `MAX_PAYLOAD_SIZE`
   * @throws CONTENT_TOO_LARGE
   */
  body(maxSize?: number): Promise<Buffer>;
  /**
   * Returns the body as it arrives, decompressed; in place of `body`.
   * @param maxSize in bytes; the stream fails with CONTENT_TOO_LARGE above it
   */
  stream(maxSize: number): Readable;
  /** The request is not run again, whatever fails. */
  readonly isLastTry?: true;
  /** True where the build of a changed schema has not come in time. */
  readonly isLate?: true;
}

/** A response, as handlers of routes return it. Header names are in lower case. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`, one header each. */
  readonly cookies?: readonly string[];
  /** A stream is sent as it arrives, chunked unless `content-length` is set. */
  readonly body: Buffer | string | Readable | null;
}
