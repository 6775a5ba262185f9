import type { Answer } from './client.js';

/** Cookies of an answer as a browser would send them back, and their attributes in lower case. */
export const cookiesOf = (answer: Answer): ReadonlyMap<string, { value: string; attributes: string[] }> =>
  new Map(
    answer.headers.getSetCookie().map((line) => {
      const [pair = '', ...attributes] = line.split(/; */);
      const at = pair.indexOf('=');
      const rest = attributes.map((attribute) => attribute.toLowerCase()).sort();
      return [pair.slice(0, at), { value: pair.slice(at + 1), attributes: rest }];
    }),
  );
