/** Creates and checks ids of requests, deliveries and keys. */
export { v7 as createId } from 'uuid';

/** Is lower than every id. */
export const lowestId = '00000000-0000-0000-0000-000000000000';

/** Returns whether a text is a lower-case UUID; databases may reject comparisons with anything else. */
export const isId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
