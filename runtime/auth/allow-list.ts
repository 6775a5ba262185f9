/**
 * Lists the pages that a browser may be redirected to. Pages are compared by origin and path, so a common prefix or a
 * user name in the URL does not match.
 */

export interface AllowList {
  has(url: string): boolean;
}

/** Creates a list. @param pages absolute URLs */
export const createAllowList = (pages: readonly string[]): AllowList => {
  const allowed = new Set(pages.map(pageOf));
  return {
    has(url) {
      const page = pageOf(url);
      return page !== null && allowed.has(page);
    },
  };
};

/** Returns origin and path of an http or https URL without credentials, else null. */
const pageOf = (text: string): string | null => {
  if (!URL.canParse(text)) return null;
  const { protocol, origin, pathname, username, password } = new URL(text);
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return null;
  return `${origin}${pathname}`;
};
