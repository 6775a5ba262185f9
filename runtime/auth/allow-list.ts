/** Pages that a browser may be sent to: told apart by origin and path, so that neither a prefix nor a user name fools. */

export interface AllowList {
  has(url: string): boolean;
}

/** @param pages absolute URLs */
export const createAllowList = (pages: readonly string[]): AllowList => {
  const places = new Set(pages.map(placeOf));
  return {
    has(url) {
      const place = placeOf(url);
      return place !== null && places.has(place);
    },
  };
};

/** `null`: no page that may be linked to. */
const placeOf = (text: string): string | null => {
  if (!URL.canParse(text)) return null;
  const { protocol, origin, pathname, username, password } = new URL(text);
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return null;
  return `${origin}${pathname}`;
};
