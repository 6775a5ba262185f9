/** Reads and refuses the parameters `on_conflict` and `conflict` of a create. */
import { invalidQuery } from '../../contract/errors.js';
import type { ApiRequest } from './api-request.js';
import { parseQueryString } from './query-string.js';
import { readNames } from './names.js';
import { mayName, refuseMisspelled } from './spelling.js';

/** The treatment of rows that are stored already, in a create. */
export interface OnConflict {
  readonly action: 'update' | 'ignore';
  /** A unique constraint, by its name or its fields; `null`: the key. */
  readonly conflict: readonly string[] | null;
}

const mayConflict = mayName('conflict');

/**
 * Returns null where the parameters are absent. @throws INVALID_QUERY for other spellings and values, which would change
 * the meaning of the write
 */
export const readOnConflict = (query: string): OnConflict | null => {
  if (!mayConflict(query)) return null;
  const parameters = parseQueryString(query);
  refuseMisspelled('on_conflict', Object.keys(parameters));
  return toOnConflict(parameters.on_conflict, parameters.conflict);
};

/** Converts the two parameters, of REST or GraphQL; returns null where they are absent. @throws INVALID_QUERY */
export const toOnConflict = (action: unknown, conflict: unknown): OnConflict | null => {
  const given = conflict ?? null;
  if (action === undefined || action === null) {
    if (given !== null) throw invalidQuery('"conflict" needs "on_conflict"');
    return null;
  }
  if (action !== 'update' && action !== 'ignore')
    throw invalidQuery('"on_conflict" takes "update" or "ignore"');
  const names = readNames(given, 'conflict');
  if (given !== null && (names === null || names.length === 0))
    throw invalidQuery('"conflict" takes the fields of a unique constraint, or its name');
  return { action, conflict: names };
};

/** Refuses `on_conflict` for other writes than a create of items. @throws INVALID_QUERY */
export const refuseOnConflict = ({ query }: Pick<ApiRequest, 'query'>): void => {
  if (readOnConflict(query) !== null) throw invalidQuery('"on_conflict" is for POST of items');
};
