/** Whom a change of roles, policies and permissions concerns, and whether it allows more or less. */
import { expect, it } from 'vitest';
import type { Statements } from '../../../runtime/execute/system-rows.js';
import { noAccess, type AccessSnapshot } from '../../../runtime/schema/access-rows/types.js';
import { explainAccess, type ExplainedAccess } from '../../../runtime/schema/explain/access.js';
import type { Snapshot } from '../../../runtime/schema/snapshot/types.js';

const before: AccessSnapshot = {
  ...noAccess,
  roles: [
    { id: 'head', name: 'Head', parent: null },
    { id: 'writer', name: 'Writer', parent: 'head' },
  ],
  policies: [
    { id: 'reads', name: 'Reads', admin_access: false },
    { id: 'open', name: 'Open', admin_access: false },
    { id: 'root', name: 'Root', admin_access: true },
  ],
  access: [
    { id: 'a', role: 'head', policy: 'reads' },
    { id: 'b', role: null, policy: 'open' },
  ],
};

const users = [
  { id: 'ann', role: 'head' },
  { id: 'ben', role: 'writer' },
  { id: 'eve', role: null },
];

const statements = {
  quote: (name: string) => name,
  query: async (text: string) => (text.includes('svc_users') ? users : [{ user: 'eve', policy: 'reads' }]),
} as unknown as Statements;

const explain = (change: Partial<AccessSnapshot>): Promise<readonly ExplainedAccess[]> =>
  explainAccess(before as unknown as Snapshot, { ...before, ...change } as unknown as Snapshot, statements);

const changed = (list: 'roles' | 'policies', id: string, values: object): Partial<AccessSnapshot> => ({
  [list]: before[list].map((entry) => (entry.id === id ? { ...entry, ...values } : entry)),
});

const permission = { policy: 'reads', collection: 'pen', action: 'read' };

it.each<[string, Partial<AccessSnapshot>, Partial<ExplainedAccess>]>([
  [
    'a permission of a policy concerns its holders, those of descending roles and users who have it themselves',
    { permissions: [permission] },
    { change: 'add', effect: 'grants', name: 'Reads', users: 3, public: false, administration: false },
  ],
  [
    'a permission of everybody concerns all users',
    { permissions: [{ ...permission, policy: 'open' }] },
    { effect: 'grants', users: 3, public: true },
  ],
  ['a name allows nothing', changed('policies', 'reads', { name: 'Readers' }), { effect: 'none' }],
  [
    'a policy becomes one of administrators',
    changed('policies', 'reads', { name: 'Root', admin_access: true }),
    { change: 'change', effect: 'grants', administration: true },
  ],
  [
    'a policy of administrators becomes another',
    changed('policies', 'root', { admin_access: false }),
    { effect: 'revokes', administration: true, users: 0 },
  ],
  [
    'a policy requires more',
    changed('policies', 'reads', { enforce_tfa: true }),
    { effect: 'changes', administration: false },
  ],
  [
    'a role loses a policy',
    { access: before.access.slice(1) },
    { list: 'access', change: 'drop', effect: 'revokes', name: 'Head', users: 2 },
  ],
  [
    'a role has another parent',
    changed('roles', 'writer', { parent: null }),
    { effect: 'changes', users: 1 },
  ],
])('%s', async (_, change, expected) => {
  expect(await explain(change)).toEqual([expect.objectContaining(expected)]);
});

it('nothing is explained of snapshots that are not about access', async () => {
  expect(await explainAccess({} as Snapshot, before as unknown as Snapshot, statements)).toEqual([]);
});
