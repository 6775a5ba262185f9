/** Ids of requests, deliveries and keys. */
export { v7 as createId } from 'uuid';

/** A UUID as it is stored: databases may refuse to compare anything else. */
export const isId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
