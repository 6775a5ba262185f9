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
  dialect: { shareLock: ' for share' },
  client: { address: () => '127.0.0.1', headers: {} },
} as unknown as ItemContext;

/** A database in which the caller is as above, but for what is said. */
const databaseWith = (stored: {
  readonly version?: number;
  readonly admin?: 0 | 1;
  readonly user?: object;
}) => {
  const tables: readonly [string, object[]][] = [
    ['from svc_access_version', [{ version: stored.version ?? 7 }]],
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

const writeItems = (stored: Stored) => {
  const { executor, statements } = databaseWith(stored);
  return { done: guardVersion(context).before(keyList([]), executor), statements };
};

const writeAccess = (stored: Stored) =>
  guardAccess({ name: 'svc_roles' } as Collection, context).before(
    keyList([]),
    databaseWith(stored).executor,
  );

describe('a write of items', () => {
  it('continues with the access version of its plan and locks it', async () => {
    const { done, statements } = writeItems({ version: 7 });
    await done;
    expect(statements).toEqual(['select version from svc_access_version where id = 1 for share']);
  });

  it.each([6, 8])('is planned again if the access version is %s instead', async (version) => {
    await expect(writeItems({ version }).done).rejects.toThrow(StalePrincipal);
  });
});

describe('a write of access rows', () => {
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
