/** Checks the access part of a snapshot: references, and rules that cannot be evaluated. Pure. */
import { expectedOfPresets, expectedOfRule } from '../../plan/access-rows.js';
import { isEqual } from '../diff/values.js';
import type { AccessEntry, AccessSnapshot } from './types.js';

const text = (maxLength: number) => ({ type: ['string', 'null'], maxLength });
const id = { type: 'string', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' };
const optionalId = { ...id, type: ['string', 'null'] };
const rule = { type: ['object', 'null'], maxProperties: 1000 };
const boolean = { type: 'boolean' };
const texts = { type: ['array', 'null'], items: { type: 'string', pattern: '^[^,]+$' }, maxItems: 1000 };

const list = (required: readonly string[], properties: object) => ({
  type: 'array',
  maxItems: 100_000,
  items: { type: 'object', required, additionalProperties: false, properties },
});

/** Parts of the JSON Schema of a snapshot. */
export const accessJsonSchema = {
  roles: list(['id', 'name'], {
    id,
    name: { type: 'string', maxLength: 100 },
    icon: text(64),
    description: text(65_535),
    parent: optionalId,
  }),
  policies: list(['id', 'name'], {
    id,
    name: { type: 'string', maxLength: 100 },
    icon: text(64),
    description: text(65_535),
    admin_access: boolean,
    operator_access: boolean,
    app_access: boolean,
    enforce_tfa: boolean,
    ip_access: texts,
  }),
  access: list(['id', 'policy'], {
    id,
    role: optionalId,
    policy: id,
    sort: { type: ['integer', 'null'], minimum: -2_147_483_648, maximum: 2_147_483_647 },
  }),
  permissions: list(['policy', 'collection', 'action'], {
    policy: id,
    collection: { type: 'string', minLength: 1, maxLength: 64 },
    action: { enum: ['create', 'read', 'update', 'delete'] },
    permissions: rule,
    validation: rule,
    presets: rule,
    fields: texts,
  }),
};

const lacks = (entry: AccessEntry, key: string, ids: ReadonlySet<unknown> | undefined): boolean =>
  entry[key] !== null && entry[key] !== undefined && ids?.has(entry[key]) !== true;

/** Returns the problems of the access part that a change would store, as texts. Rules that are stored already stay. */
export const findAccessFaults = (
  { roles, policies, access, permissions }: AccessSnapshot,
  stored: AccessSnapshot,
): readonly string[] => {
  const [roleIds, policyIds] = [roles, policies].map((entries) => new Set(entries.map((entry) => entry.id)));
  return [
    ...findDuplicates('role', roles),
    ...findDuplicates('policy', policies),
    ...roles
      .filter((role) => lacks(role, 'parent', roleIds))
      .map(({ name }) => `the parent of the role "${String(name)}" does not exist`),
    ...roles
      .filter((role) => isCircle(role, roles))
      .map(({ name }) => `the role "${String(name)}" is its own ancestor`),
    ...access
      .filter((entry) => lacks(entry, 'role', roleIds) || lacks(entry, 'policy', policyIds))
      .map((entry) => `the access row "${String(entry.id)}" names a role or policy that does not exist`),
    ...permissions
      .filter((permission) => lacks(permission, 'policy', policyIds))
      .map(
        ({ policy, collection, action }) =>
          `the permission to ${String(action)} "${String(collection)}" names the policy "${String(policy)}", which does not exist`,
      ),
    ...permissions
      .filter((permission) => !stored.permissions.some((row) => isEqual(row, permission)))
      .flatMap(findRuleFaults),
  ];
};

const ruleChecks = {
  permissions: expectedOfRule,
  validation: expectedOfRule,
  presets: expectedOfPresets,
} as const;

const findRuleFaults = (permission: AccessEntry): readonly string[] =>
  Object.entries(ruleChecks).flatMap(([key, expectedOf]) => {
    const expected = expectedOf(permission[key] ?? null);
    const place = `the permission to ${String(permission.action)} "${String(permission.collection)}"`;
    return expected === null ? [] : [`"${key}" of ${place} must be ${expected}`];
  });

const findDuplicates = (noun: string, entries: readonly AccessEntry[]): readonly string[] => {
  const ids = entries.map((entry) => String(entry.id));
  const repeated = ids.filter((each, at) => ids.indexOf(each) !== at);
  return [...new Set(repeated)].map((each) => `the ${noun} "${each}" appears more than once`);
};

const isCircle = (role: AccessEntry, roles: readonly AccessEntry[]): boolean => {
  const parents = new Map(roles.map((each) => [each.id, each.parent]));
  let next = parents.get(role.id);
  for (let steps = 0; steps < roles.length && next !== null && next !== undefined; steps += 1) {
    if (next === role.id) return true;
    next = parents.get(next);
  }
  return false;
};
