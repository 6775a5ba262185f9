/** The context of an operation: caller, client and cookies, and the headers and cookies of its response. */
import { parse, serialize, type SerializeOptions } from 'cookie';
import { identifyNow } from '../access/confirmation.js';
import type { Access } from '../access/access.js';
import type { Principal } from '../access/principal.js';
import { requireSameOrigin } from '../access/credentials.js';
import type { Client, DryRun } from '../items/context.js';
import type { Caller } from '../queue/requests/requests.js';
import { dryRunHeaders, readDryRun, refuseDryRun } from '../request/dry-run.js';
import { refuseIfMatch } from '../request/if-match.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { readTraceparent } from '../tracing/traceparent.js';
import { readFormFile, type UploadedFile } from '../request/upload.js';

export interface OperationContext {
  /** Returns the current principal. Identified on first use, because public operations do not need it. */
  principal(): Promise<Principal>;
  /** Returns the caller by the key of the queue; null where none was sent, or the operation accepts none. */
  readonly keyCaller: (() => Promise<Caller>) | null;
  /** Identifies the principal again, to repeat work that an outdated one has started. */
  renew(): Promise<Principal>;
  readonly client: OperationClient;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** The query string as sent, for operations that take the parameters of items. */
  readonly query: string;
  /** True where the client asks for a response before the work is done: `Prefer: respond-async` (RFC 7240). */
  readonly prefersAsync: boolean;
  /** Reads the file of a form. @throws UNSUPPORTED_MEDIA_TYPE, INVALID_PAYLOAD, CONTENT_TOO_LARGE */
  readFile(maxSize: number): Promise<UploadedFile>;
  /** Rejects cross-site requests, for operations that a cookie authenticates. @throws FORBIDDEN */
  requireOwnPage(): void;
  /** Sets a response header; not sent with an error. */
  setHeader(name: string, value: string): void;
  setCookie(name: string, value: string, options: SerializeOptions): void;
  /** Reports a write that was only tried. */
  reportDryRun(dryRun: DryRun): void;
}

/** The client of a call. Header values have a limited length but are not verified. */
export interface OperationClient {
  /** Address of the client, as trusted proxies report it; empty if the connection is closed. */
  readonly address: string;
  readonly userAgent: string | null;
  readonly origin: string | null;
  /** True where the request came over TLS. */
  readonly secure: boolean;
  /** Trace and span that the call belongs to; null if there is none. */
  readonly traceparent: string | null;
  /** Calls back when the response has been sent, or the client has disconnected before. */
  readonly onClose: ApiRequest['onClose'];
}

/** A context with the response headers and cookies that were set on it. */
export interface OpenedContext {
  readonly context: OperationContext;
  readonly reply: Pick<Required<ApiResponse>, 'headers' | 'cookies'>;
}

interface ContextOptions {
  readonly access: Access;
  readonly keyCaller?: OperationContext['keyCaller'];
  /** True where the operation can be tried by `dry_run`. */
  readonly isTried?: boolean;
}

/**
 * Opens the context of one request; headers and cookies are collected until the handler has returned.
 * @throws INVALID_QUERY for a dry run of an operation that cannot be tried, INVALID_PAYLOAD for `If-Match`
 */
export const openContext = (
  request: ApiRequest,
  { access, keyCaller = null, isTried = false }: ContextOptions,
): OpenedContext => {
  if (isTried) readDryRun(request.query);
  else refuseDryRun(request);
  refuseIfMatch(request);
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  let principal: Promise<Principal> | null = null;
  const context: OperationContext = {
    principal: () => (principal ??= identifyNow(request, access)),
    keyCaller,
    renew: () => (principal = identifyNow(request, access)),
    client: {
      address: request.address(),
      userAgent: textOf(request.headers['user-agent']),
      origin: textOf(request.headers.origin),
      secure: request.isSecure(),
      traceparent: readTraceparent(request.headers['traceparent']),
      onClose: request.onClose,
    },
    cookies: parse(textOf(request.headers.cookie) ?? ''),
    query: request.query,
    prefersAsync: /(?:^|,)\s*respond-async\s*(?:[,;]|$)/i.test(textOf(request.headers.prefer) ?? ''),
    readFile: (maxSize) => readFormFile(request, maxSize),
    requireOwnPage: () => requireSameOrigin(request),
    setHeader(name, value) {
      headers[name] = value;
    },
    setCookie(name, value, options) {
      cookies.push(serialize(name, value, options));
    },
    reportDryRun: (dryRun) => void Object.assign(headers, dryRunHeaders(dryRun)),
  };
  return { context, reply: { headers, cookies } };
};

/** Returns the client of a call in the form that items use. */
export const clientOf = ({ client: { address, userAgent, onClose } }: OperationContext): Client => ({
  address: () => address,
  headers: { 'user-agent': userAgent ?? undefined },
  onClose,
});

const textOf = (header: string | string[] | undefined): string | null =>
  typeof header === 'string' ? header : null;
