/** The context of an operation: caller, client and cookies, and the headers and cookies of its response. */
import { parse, serialize, type SerializeOptions } from 'cookie';
import { identifyNow, type Access, type Principal } from '../access/access.js';
import { requireOwnPage } from '../access/credentials.js';
import type { Client } from '../items/context.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';

export interface OperationContext {
  /** Who asks, as of now. Asked only where it matters: whether the server is there says it to everybody. */
  principal(): Promise<Principal>;
  /** The same, asked once more: for what is begun anew where it no longer holds. */
  renew(): Promise<Principal>;
  readonly client: OperationClient;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** The query string as sent, for operations that take the parameters of items. */
  readonly query: string;
  /** For what acts by cookie. @throws FORBIDDEN where the browser says that a page of somebody else asks */
  requireOwnPage(): void;
  /** Sets a response header; not sent with an error. */
  setHeader(name: string, value: string): void;
  setCookie(name: string, value: string, options: SerializeOptions): void;
}

/** Where a call came from; lengths are bounded, what they say is the caller's own word. */
export interface OperationClient {
  /** Behind the proxies that are trusted; empty where the connection is gone. */
  readonly address: string;
  readonly userAgent: string | null;
  readonly origin: string | null;
  /** Whether the request came over TLS. */
  readonly secure: boolean;
}

/** A context, and what has been set on it so far. */
export interface OpenedContext {
  readonly context: OperationContext;
  readonly reply: Pick<Required<ApiResponse>, 'headers' | 'cookies'>;
}

export const openContext = (request: ApiRequest, access: Access): OpenedContext => {
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  let principal: Promise<Principal> | null = null;
  const context: OperationContext = {
    principal: () => (principal ??= identifyNow(request, access)),
    renew: () => (principal = identifyNow(request, access)),
    client: {
      address: request.address(),
      userAgent: textOf(request.headers['user-agent']),
      origin: textOf(request.headers.origin),
      secure: request.isSecure(),
    },
    cookies: parse(textOf(request.headers.cookie) ?? ''),
    query: request.query,
    requireOwnPage: () => requireOwnPage(request),
    setHeader(name, value) {
      headers[name] = value;
    },
    setCookie(name, value, options) {
      cookies.push(serialize(name, value, options));
    },
  };
  return { context, reply: { headers, cookies } };
};

/** Returns the client of a call in the form that items use. */
export const clientOf = ({ client: { address, userAgent } }: OperationContext): Client => ({
  address: () => address,
  headers: { 'user-agent': userAgent ?? undefined },
});

const textOf = (header: string | string[] | undefined): string | null =>
  typeof header === 'string' ? header : null;
