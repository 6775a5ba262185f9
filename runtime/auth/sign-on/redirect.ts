/** Checks the page that a browser returns to after a login, and adds the reason of a failed one. */
import { ApiError, invalidQuery } from '../../../contract/errors.js';
import type { AllowList } from '../allow-list.js';
import type { Provider } from './provider.js';

/** Characters; the URL is part of a cookie, and browsers drop cookies over 4 kB. */
const maxPageLength = 2000;

interface RedirectRules {
  readonly provider: Pick<Provider, 'config'>;
  /** Allowed pages of other origins. */
  readonly pages: AllowList;
}

/** Returns the absolute URL of an allowed page. @throws INVALID_QUERY */
export const resolveRedirect = (
  redirect: string,
  { provider, pages }: RedirectRules,
  server: string,
): string => {
  const { name, mode } = provider.config;
  const page = resolvePage(redirect, server);
  if (page === null || !(page.origin === new URL(server).origin || pages.has(page.href)))
    throw invalidQuery(
      `"redirect" is neither a page of this server nor in the REDIRECT_ALLOW_LIST of "${name}"`,
    );
  if (page.href.length > maxPageLength)
    throw invalidQuery(
      `"redirect" is longer than ${maxPageLength} characters when percent-encoded (é is %C3%A9)`,
    );
  if (mode === 'json')
    throw invalidQuery(`"redirect" is not supported: "${name}" returns the tokens in the body (mode json)`);
  return page.href;
};

/**
 * Resolves a page relative to the server; null if it is not a URL. Rejects backslashes, white space and control
 * characters, because browsers read `\` as `/` and drop line breaks.
 */
const resolvePage = (text: string, server: string): URL | null => {
  if (/[\\\s\p{Cc}]/u.test(text) || text.startsWith('//')) return null;
  if (text.startsWith('/')) return URL.canParse(text, server) ? new URL(text, server) : null;
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return null;
  const page = new URL(text);
  return page.username === '' && page.password === '' ? page : null;
};

/** Returns the page of a failed login with `?reason=<error code>`; throws any error that is not for the client. */
export const addReason =
  (redirect: string) =>
  (error: unknown): string => {
    if (!(error instanceof ApiError)) throw error;
    const page = new URL(redirect);
    page.searchParams.set('reason', error.code);
    return page.href;
  };
