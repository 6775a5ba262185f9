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

/** Returns what is wrong with the rows as they shall be. Rules that are stored already stay. */
export const findAccessFaults = (
  { roles, policies, access, permissions }: AccessSnapshot,
  stored: AccessSnapshot,
): readonly string[] => {
  const [roleIds, policyIds] = [roles, policies].map((entries) => new Set(entries.map((entry) => entry.id)));
  return [
    ...twice('role', roles),
    ...twice('policy', policies),
    ...roles
      .filter((role) => lacks(role, 'parent', roleIds))
      .map(({ name }) => `the parent of the role "${String(name)}" is not there`),
    ...roles
      .filter((role) => isCircle(role, roles))
      .map(({ name }) => `the role "${String(name)}" is below itself`),
    ...access
      .filter((entry) => lacks(entry, 'role', roleIds) || lacks(entry, 'policy', policyIds))
      .map((entry) => `the access "${String(entry.id)}" names a role or policy that is not there`),
    ...permissions
      .filter((permission) => lacks(permission, 'policy', policyIds))
      .map(
        ({ collection, action }) => `the policy of ${String(action)} of ${String(collection)} is not there`,
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
    const place = `${String(permission.action)} of ${String(permission.collection)}`;
    return expected === null ? [] : [`"${key}" of ${place} must be ${expected}`];
  });

const twice = (what: string, entries: readonly AccessEntry[]): readonly string[] => {
  const ids = entries.map((entry) => String(entry.id));
  const double = ids.filter((each, at) => ids.indexOf(each) !== at);
  return [...new Set(double)].map((each) => `the ${what} "${each}" is there twice`);
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
