/** Permissions of an administrator, and random policies for all others. */
import * as fc from 'fast-check';
import { createAccess, type Access } from '../../../runtime/access/access.js';
import type { AccessRows } from '../../../runtime/access/policies.js';
import type { Collection, Registry } from '../../../contract/collection.js';
import { filterOn, writeFilter } from './filters.js';
import type { ReadPermission, Viewer } from './visible.js';

/** Permissions of each policy, and which policies each principal holds; the last principal is nobody. */
export interface Scenario {
  readonly policies: readonly (readonly ReadPermission[])[];
  readonly holders: readonly (readonly number[])[];
}

const policyCount = 3;
const userCount = 3;
/** The value of `$CURRENT_USER.person` of each user. */
const personOf = (user: number): number => user + 2;

const permissionOn = (collection: Collection): fc.Arbitrary<ReadPermission> => {
  const keys = collection.key.map(({ name }) => name);
  const others = [...collection.fields.keys(), ...collection.relations.keys()].filter(
    (name) => !keys.includes(name),
  );
  const names = fc
    .subarray(others, { minLength: Math.floor(others.length / 2) })
    .map((some) => keys.concat(some));
  return fc.record({
    collection: fc.constant(collection.name),
    filter: fc.option(filterOn(collection, 1), { freq: 3 }),
    fields: fc.oneof(fc.constant(['*']), names),
  });
};

const policyOn = (collections: readonly Collection[]): fc.Arbitrary<readonly ReadPermission[]> =>
  fc
    .tuple(
      ...collections.map((collection) =>
        fc.array(permissionOn(collection), { minLength: 0, maxLength: 2, size: 'max' }),
      ),
    )
    .map((each) => each.flat());

export const scenarioOn = ({ collections }: Registry): fc.Arbitrary<Scenario> =>
  fc
    .record({
      policies: fc.array(policyOn([...collections.values()]), {
        minLength: policyCount,
        maxLength: policyCount,
      }),
      holders: fc.array(fc.subarray([0, 1, 2], { minLength: 1 }), {
        minLength: userCount + 1,
        maxLength: userCount + 1,
      }),
    })
    .map(printable);

/** Shows itself in a failure as rows of the system tables. */
const printable = (scenario: Scenario): Scenario =>
  Object.assign(scenario, { [fc.toStringMethod]: () => JSON.stringify(rowsOf(scenario)) });

export const adminToken = 'admin';
export const tokens = [...Array.from({ length: userCount }, (_, user) => `user-${user}`), null];

/** Facts about the holder of a token that the reference needs. */
export const viewerOf = ({ policies, holders }: Scenario, token: string | null): Viewer => {
  const user = tokens.indexOf(token);
  const held = holders[user] ?? [];
  return {
    permissions: held.flatMap((policy) => policies[policy] ?? []),
    person: token === null ? null : personOf(user),
  };
};

export const administrator: Viewer = { permissions: null, person: personOf(0) };

interface AccessOptions {
  /** Collections of which every policy may update every item. */
  readonly mayUpdate?: readonly string[];
}

/** The same for the real pipeline: rows as the tables of the system would hold them. */
export const accessOf = (scenario: Scenario, options: AccessOptions = {}): Access =>
  createAccess({
    loadRows: async () => rowsOf(scenario, options),
    readVersion: async () => '1',
    findHolder: async (token) => ({
      user: {
        id: token,
        role: token === adminToken ? 'administrators' : 'users',
        status: 'active',
        columns: { person: personOf(token === adminToken ? 0 : tokens.indexOf(token)) },
      },
      session: null,
      credentialDigest: '',
      expires: Number.POSITIVE_INFINITY,
    }),
  });

const permissionToRead = { action: 'read', validation: null, presets: null };

const rowsOf = ({ policies, holders }: Scenario, { mayUpdate = [] }: AccessOptions = {}): AccessRows => ({
  version: '1',
  roles: [
    { id: 'administrators', parent: null },
    { id: 'users', parent: null },
  ],
  policies: [
    { id: 'everything', admin: true },
    ...policies.map((_, index) => ({ id: `p${index}`, admin: false })),
  ],
  access: [
    { policy: 'everything', role: 'administrators', user: null },
    ...holders.flatMap((held, user) =>
      held.map((policy) => ({ policy: `p${policy}`, role: null, user: tokens[user] ?? null })),
    ),
  ],
  permissions: policies.flatMap((permissions, index) => [
    {
      ...permissionToRead,
      policy: `p${index}`,
      collection: 'svc_users',
      permissions: { id: { _eq: '$CURRENT_USER' } },
      fields: ['person'],
    },
    ...mayUpdate.map((collection) => ({
      ...permissionToRead,
      action: 'update',
      policy: `p${index}`,
      collection,
      permissions: null,
      fields: ['*'],
    })),
    ...permissions.map(({ collection, filter, fields }) => ({
      ...permissionToRead,
      policy: `p${index}`,
      collection,
      permissions: filter === null ? null : writeFilter(filter),
      fields,
    })),
  ]),
});
