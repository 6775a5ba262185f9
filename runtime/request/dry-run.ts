/** Reads and refuses the parameter `dry_run` of a write. */
import { invalidQuery } from '../../contract/errors.js';
import type { ApiRequest } from './api-request.js';
import { mayName, refuseMisspelled } from './spelling.js';

const mayBeDry = mayName('dryrun');

/** Returns whether a write is only tried. @throws INVALID_QUERY for other spellings and values, which would write */
export const readDryRun = (query: string): boolean => {
  if (!mayBeDry(query)) return false;
  const parameters = new URLSearchParams(query);
  refuseMisspelled('dry_run', parameters.keys());
  const values = parameters.getAll('dry_run');
  const [value = 'false', ...others] = values;
  if (others.length > 0 || (value !== 'true' && value !== 'false'))
    throw invalidQuery('"dry_run" takes true or false, once');
  return value === 'true';
};

/** Refuses `dry_run` for a call that would write all the same. @throws INVALID_QUERY */
export const refuseDryRun = ({ method, query }: Pick<ApiRequest, 'method' | 'query'>): void => {
  if (method === 'GET' || !readDryRun(query)) return;
  throw invalidQuery(
    '"dry_run" is for writes of items, which are rolled back; this request may have effects that cannot be, such as mails, sessions, requests of the queue or changes of tables. In GraphQL it is an argument of mutations',
  );
};

/** Headers of the response to a write that was only tried. */
export const dryRunHeaders = ({ rows }: { readonly rows: number }): Readonly<Record<string, string>> => ({
  'x-svc-dry-run': 'true',
  'x-svc-rows': String(rows),
});
