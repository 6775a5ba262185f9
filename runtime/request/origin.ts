/** Where a browser says that a request comes from. */
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a page of another origin sent it. Programs that are no browsers say nothing and are not foreign.
 * @param ownOrigin `https://api.example`; `null`: the host that was asked
 */
export const isForeign = (headers: IncomingHttpHeaders, ownOrigin: string | null): boolean => {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return false;
  if (origin === undefined) return site !== undefined;
  if (ownOrigin !== null) return origin !== ownOrigin;
  return !URL.canParse(origin) || new URL(origin).host !== host;
};
