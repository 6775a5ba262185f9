/** A write whose caller's rules have changed since it was planned is planned anew. */
import { describe, expect, it } from 'vitest';
import type { Collection } from '../../../contract/collection.js';
import { StalePrincipal } from '../../../runtime/access/confirmation.js';
import { createPolicyIndex, type AccessRows } from '../../../runtime/access/policies.js';
import type { Executor } from '../../../runtime/databases/contract.js';
import { credentialOf } from '../../../runtime/execute/access-source.js';
import { keyList } from '../../../runtime/execute/key-list.js';
import { guardAccess, guardVersion } from '../../../runtime/items/access-guard.js';
import type { ItemContext } from '../../../runtime/items/context.js';

const rows: AccessRows = {
  version: '7',
  roles: [],
  policies: [{ id: 'root', admin: true }],
  access: [{ policy: 'root', role: null, user: 'ann' }],
  permissions: [],
};
const user = { id: 'ann', role: null, status: 'active', columns: {} };

const context = {
  principal: {
    user,
    policies: createPolicyIndex(rows).policiesOf(user),
    session: null,
    credentialDigest: credentialOf('token'),
    version: '7',
  },
  dialect: { rowLock: ' for update' },
  registry: { collections: new Map() },
  client: { address: () => '127.0.0.1', headers: {} },
} as unknown as ItemContext;

/** A database in which the caller is as above, but for what is said. */
const databaseWith = (stored: { readonly admin?: 0 | 1; readonly user?: object }) => {
  const tables: readonly [string, object[]][] = [
    ['from svc_access_version', [{ version: 7 }]],
    ['from svc_policies', [{ id: 'root', admin_access: stored.admin ?? 1 }]],
    ['from svc_access', [{ policy: 'root', role: null, user: 'ann' }]],
    ['svc_users', [{ ...user, token: 'token', password: null, ...stored.user }]],
  ];
  const statements: string[] = [];
  const executor = {
    quote: (name: string) => name,
    query: async (text: string) => {
      statements.push(text);
      return tables.find(([table]) => text.includes(table))?.[1] ?? [];
    },
    rows: async () => ({ rows: { bytes: Buffer.from('7') } }),
    write: async () => ({ affected: 1 }),
  } as unknown as Executor;
  return { executor, statements };
};

type Stored = Parameters<typeof databaseWith>[0];

/** Runs the hooks of a write of items whose caller is confirmed or not, before its commit. */
const writeItems = async (isConfirmed: boolean): Promise<void> => {
  const hooks = guardVersion({ ...context, confirm: async () => isConfirmed });
  const { executor } = databaseWith({});
  await hooks.before(keyList([]), executor);
  await hooks.after([], executor);
};

const writeAccess = (stored: Stored) =>
  guardAccess({ name: 'svc_roles' } as Collection, context).before(
    keyList([]),
    databaseWith(stored).executor,
  );

describe('a write of items', () => {
  it('is committed if the caller is confirmed once more', async () => {
    await expect(writeItems(true)).resolves.toBeUndefined();
  });

  it('is planned again if access has changed before the commit', async () => {
    await expect(writeItems(false)).rejects.toThrow(StalePrincipal);
  });
});

describe('a write of access rows', () => {
  it('locks the access version first', async () => {
    const { executor, statements } = databaseWith({});
    await guardAccess({ name: 'svc_roles' } as Collection, context).before(keyList([]), executor);
    expect(statements[0]).toBe('select version from svc_access_version where id = 1 for update');
  });

  it('continues if the caller is unchanged', async () => {
    await expect(writeAccess({})).resolves.toBeUndefined();
  });

  it.each<[string, Stored]>([
    ['holds other policies', { admin: 0 }],
    ['is not active any more', { user: { status: 'suspended' } }],
    ['has another token', { user: { token: 'other' } }],
  ])('is planned again if the caller %s', async (_, stored) => {
    await expect(writeAccess(stored)).rejects.toThrow(StalePrincipal);
  });
});
