/** Summarizes what a set of policies permits, for its holder. */
import type { Collection, Registry } from '../../contract/collection.js';
import type { Permission } from './grant.js';
import type { Action, PolicySet } from './policies.js';

export interface ActionSummary {
  readonly access: 'none' | 'partial' | 'full';
  readonly fields?: string[];
  readonly presets?: Record<string, unknown>;
}

interface Allowed {
  readonly access: boolean;
  readonly fields?: string[];
  readonly presets?: Record<string, unknown>;
}

export type AllowedActions = Readonly<Record<'update' | 'delete' | 'share', Allowed>>;

const actions: readonly Action[] = ['create', 'read', 'update', 'delete'];

/** By collection, of those where anything is permitted. `share` is known to clients, and granted to nobody. */
export const permissionsOf = (
  policies: PolicySet,
  { collections }: Registry,
): Record<string, Record<string, ActionSummary>> =>
  Object.fromEntries(
    [...collections.values()]
      .filter((collection) => actions.some((action) => policies.grant(collection, action) !== null))
      .map((collection) => [
        collection.name,
        {
          ...Object.fromEntries(actions.map((action) => [action, summarize(collection, action, policies)])),
          share: { access: 'none' as const },
        },
      ]),
  );

const summarize = (collection: Collection, action: Action, policies: PolicySet): ActionSummary => {
  const grant = policies.grant(collection, action);
  if (grant === null) return { access: 'none' };
  return {
    access: grant.rows.kind === 'always' ? 'full' : 'partial',
    ...describe(collection, action, policies),
  };
};

/** Fields in the order of the permissions; a deletion has none. */
const describe = (
  collection: Collection,
  action: Action,
  policies: PolicySet,
): Pick<ActionSummary, 'fields' | 'presets'> => {
  const grant = policies.grant(collection, action);
  if (grant === null || action === 'delete') return {};
  const named = policies.permissions
    .filter(isAbout(collection, action))
    .flatMap(({ fields }) => fields ?? []);
  const presets = Object.keys(grant.presets).length === 0 ? {} : { presets: { ...grant.presets } };
  return { fields: grant.everyField ? ['*'] : [...new Set(named)], ...presets };
};

const isAbout =
  ({ name }: Collection, action: Action) =>
  (permission: Permission): boolean =>
    permission.collection === name && permission.action === action;

/** Whatever the item: its own rules come on top. */
export const allowedActions = (collection: Collection, policies: PolicySet): AllowedActions => ({
  update: {
    access: policies.grant(collection, 'update') !== null,
    ...describe(collection, 'update', policies),
  },
  delete: { access: policies.grant(collection, 'delete') !== null },
  share: { access: false },
});
