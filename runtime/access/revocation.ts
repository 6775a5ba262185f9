/** Decides which writes may take a permission away. Pure. */
import type { Registry } from '../../contract/collection.js';
import type { AccessRows } from './policies.js';

/** Columns of a user that decide who the user is, and what the user may do. */
const decisiveColumns: ReadonlySet<string> = new Set([
  'ip_access',
  'password',
  'provider',
  'role',
  'status',
  'tfa_secret',
  'token',
]);

interface WrittenRows {
  readonly collection: { readonly name: string };
  readonly action: 'create' | 'update' | 'delete';
  /** Names of the fields that were written. */
  readonly fields: readonly string[];
}

interface Rules extends Pick<AccessRows, 'permissions'> {
  readonly registry: Pick<Registry, 'collections'>;
}

/**
 * Returns whether writes of the access collections may take a permission away: all but new users, which no process has
 * read before, and columns of users that neither decide access nor are named in a rule.
 */
export const mayRevoke = (written: readonly WrittenRows[], rules: Rules): boolean =>
  written.some(({ collection, action, fields }) => {
    if (collection.name !== 'svc_users' || action === 'delete') return true;
    return action === 'update' && fields.some((name) => decisiveColumns.has(name) || isNamed(name, rules));
  });

/** Returns whether a rule of a permission or a field names a column of the caller. */
const isNamed = (column: string, { permissions, registry }: Rules): boolean => {
  const collections = [...registry.collections.values()];
  const rules = [
    permissions.map((each) => [each.permissions, each.validation, each.presets]),
    collections.map(({ fields }) => Array.from(fields.values(), ({ validation }) => validation)),
  ];
  return JSON.stringify(rules).includes(JSON.stringify(`$CURRENT_USER.${column}`));
};
