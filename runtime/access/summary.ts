/** Summarizes the permissions of a policy set for its holder. */
import type { Collection, Registry } from '../../contract/collection.js';
import type { Permission } from './grant.js';
import type { Action, PolicySet } from './policies.js';

export interface ActionSummary {
  readonly access: 'none' | 'partial' | 'full';
  readonly fields?: string[];
  readonly presets?: Record<string, unknown>;
}

interface ActionPermission {
  readonly access: boolean;
  readonly fields?: string[];
  readonly presets?: Record<string, unknown>;
}

export type AllowedActions = Readonly<Record<'update' | 'delete' | 'share', ActionPermission>>;

const actions: readonly Action[] = ['create', 'read', 'update', 'delete'];

/** Returns the actions of each collection with any permission. `share` is for clients and is never granted. */
export const summarizePermissions = (
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

/** Returns the fields, in the order of the permissions, and the presets of an action; deletions have neither. */
const describe = (
  collection: Collection,
  action: Action,
  policies: PolicySet,
): Pick<ActionSummary, 'fields' | 'presets'> => {
  const grant = policies.grant(collection, action);
  if (grant === null || action === 'delete') return {};
  const named = policies.permissions.filter(isFor(collection, action)).flatMap(({ fields }) => fields ?? []);
  const presets = Object.keys(grant.presets).length === 0 ? {} : { presets: { ...grant.presets } };
  return { fields: grant.everyField ? ['*'] : [...new Set(named)], ...presets };
};

const isFor =
  ({ name }: Collection, action: Action) =>
  (permission: Permission): boolean =>
    permission.collection === name && permission.action === action;

/** Returns the permitted actions on items of a collection, regardless of the rules on rows. */
export const allowedActions = (collection: Collection, policies: PolicySet): AllowedActions => ({
  update: {
    access: policies.grant(collection, 'update') !== null,
    ...describe(collection, 'update', policies),
  },
  delete: { access: policies.grant(collection, 'delete') !== null },
  share: { access: false },
});
