/** Determines the origin of a request from the headers of a browser. */
import type { IncomingHttpHeaders } from 'node:http';

/** The origins whose pages are trusted. */
export interface OriginOptions {
  /** Origin of this server, such as `https://api.example`; `null` for that of the request's host. */
  readonly ownOrigin: string | null;
  /** Returns whether pages of another origin may act by cookie. */
  readonly trustsOrigin: (origin: string) => boolean;
}

/**
 * Returns whether a page of an untrusted origin sent the request. Clients other than browsers do not send these
 * headers and are trusted.
 */
export const isUntrustedOrigin = (
  headers: IncomingHttpHeaders,
  { ownOrigin, trustsOrigin }: OriginOptions,
): boolean => {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return false;
  if (origin === undefined) return site !== undefined;
  if (trustsOrigin(origin)) return false;
  if (ownOrigin !== null) return origin !== ownOrigin;
  return !URL.canParse(origin) || new URL(origin).host !== host;
};
