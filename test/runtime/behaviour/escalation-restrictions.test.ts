/** Restrictions of a policy, its addresses and second factor, also restrict what its holders may grant. */
import { afterEach, describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { everything } from '../harness/permissions.js';
import { useServer } from '../harness/use-server.js';
import type { TestAccess, TestPermission } from '../server-harness.js';
import { libraryMeta, librarySql } from './library.js';

const dialects = dialectsOf(import.meta.url);

const notes: TestPermission = { collection: 'author', action: 'read', fields: ['*'] };
const titles: TestPermission = { collection: 'book', action: 'read', fields: ['title'] };

const access: TestAccess = {
  policies: {
    Manager: [
      ...['svc_roles', 'svc_policies', 'svc_access', 'svc_permissions'].flatMap((name) => everything(name)),
      { collection: 'svc_users', action: 'read', fields: ['id'] },
      titles,
    ],
    /** Holds from an office. */
    Office: [notes],
    /** Asks for a second factor, and permits nothing. */
    Strict: [],
    Elsewhere: [{ collection: 'review', action: 'read', fields: ['*'] }],
  },
  users: {
    // who signs in elsewhere shows the second factor there
    hal: { policies: ['Manager', 'Office', 'Strict'], columns: { provider: 'acme' } },
    guest: { policies: ['Elsewhere'] },
  },
};

const office = ['127.0.0.0/8', '192.0.2.0/24'];

const refused = (says: string) => ({ status: 403, codes: ['FORBIDDEN'], says });
const beyond = '"read" on "author" from addresses that your own policy does not allow';
const lifted = 'removing the second factor that a policy requires ("enforce_tfa")';

const trapped = 'requiring a second factor of users with more permissions ("enforce_tfa")';

describe.each(dialects)('restrictions of policies on %s', (dialect) => {
  const server = useServer({ dialect, sql: librarySql(dialect), meta: libraryMeta, access });
  const send = (as: string | null, method: string, path: string, body?: unknown) =>
    server().request(method, path, { ...(as !== null && { as }), ...(body !== undefined && { body }) });
  const policy = (name: string): string => server().ids.policies.get(name) ?? '';
  const restrict = (name: string, data: object) => send('admin', 'PATCH', `/policies/${policy(name)}`, data);
  const value = (set: boolean): string => (dialect === 'postgres' ? String(set) : String(Number(set)));
  /** Applies to administrators too, who could not undo it without a second factor. */
  const demand = (enforced: boolean): Promise<void> => {
    return server().execute(
      `update svc_policies set enforce_tfa = ${value(enforced)} where admin_access = ${value(true)};
       update svc_access_version set version = version + 1;`,
    );
  };
  const made: string[] = [];
  const make = async (as: string, path: string, body: unknown): Promise<string> => {
    const { status, data, text } = await send(as, 'POST', path, body);
    if (status !== 200) throw new Error(text);
    const { id } = data as { readonly id: string | number };
    made.push(`${path}/${id}`);
    return String(id);
  };
  const refusalOf = async (answer: ReturnType<typeof send>) => {
    const { status, codes, text } = await answer;
    return { status, codes, says: /do not hold: ([^}]*?)\."[,}]/.exec(text)?.[1]?.replaceAll('\\', '') };
  };

  afterEach(async () => {
    for (const path of made.splice(0).toReversed()) await send('admin', 'DELETE', path);
    for (const name of ['Office', 'Strict', 'Manager']) {
      await restrict(name, { ip_access: null, enforce_tfa: false });
    }
  });

  it.each([[null], [['127.0.0.0/8', '10.0.0.0/8']], [['0.0.0.0/0']]])(
    'a permission limited to a network cannot be granted for %j',
    async (list) => {
      await restrict('Office', { ip_access: office });
      const id = await make('hal', '/policies', { name: 'Open', ip_access: list });
      await make('hal', '/access', { policy: id });
      expect(await refusalOf(send('hal', 'POST', '/permissions', { policy: id, ...notes }))).toEqual(
        refused(beyond),
      );
      expect((await send(null, 'GET', '/items/author')).codes).toEqual(['FORBIDDEN']);
    },
  );

  it('a permission limited to a network can be granted for it or a part of it', async () => {
    await restrict('Office', { ip_access: office });
    for (const list of [office, ['127.0.0.0/8'], office.toReversed()]) {
      const id = await make('hal', '/policies', { name: 'Office too', ip_access: list });
      await make('hal', '/permissions', { policy: id, ...notes });
      await make('hal', '/access', { policy: id, user: server().ids.users.get('guest') });
    }
    expect((await send('guest', 'GET', '/items/author?limit=1&fields=id')).status).toBe(200);
  });

  it('a permission without networks can be granted for any list', async () => {
    await restrict('Office', { ip_access: office });
    for (const list of [null, ['10.0.0.0/8']]) {
      const id = await make('hal', '/policies', { name: 'Titles', ip_access: list });
      await make('hal', '/permissions', { policy: id, ...titles });
      await make('hal', '/access', { policy: id });
    }
    expect((await send(null, 'GET', '/items/book?limit=1&fields=title')).status).toBe(200);
  });

  it('a policy of other networks cannot be moved or assigned', async () => {
    await restrict('Office', { ip_access: office });
    const id = await make('admin', '/policies', { name: 'Open' });
    await make('admin', '/permissions', { policy: id, ...notes });
    for (const holder of [{}, { user: server().ids.users.get('guest') }]) {
      expect(await refusalOf(send('hal', 'POST', '/access', { policy: id, ...holder }))).toEqual(
        refused('a policy with permissions beyond your own'),
      );
    }
    for (const list of [null, ['10.0.0.0/8'], [...office, '10.0.0.0/8']]) {
      const moved = send('hal', 'PATCH', `/policies/${policy('Office')}`, { ip_access: list });
      expect(await refusalOf(moved)).toEqual(refused(beyond));
    }
    const narrowed = send('hal', 'PATCH', `/policies/${policy('Office')}`, { ip_access: ['127.0.0.0/8'] });
    expect((await narrowed).status).toBe(200);
  });

  it('a policy keeps requiring a second factor for every holder', async () => {
    const administrators = (await send('admin', 'GET', '/policies?filter[admin_access][_eq]=true&fields=id'))
      .data as readonly { readonly id: string }[];
    const unheld = await make('admin', '/policies', { name: 'Unheld', enforce_tfa: true });
    await restrict('Strict', { enforce_tfa: true });
    await demand(true);
    for (const id of [policy('Strict'), unheld, ...administrators.map((each) => each.id)]) {
      const answer = send('hal', 'PATCH', `/policies/${id}`, { enforce_tfa: false });
      expect(await refusalOf(answer)).toEqual(refused(lifted));
    }
    expect((await send('hal', 'PATCH', `/policies/${unheld}`, { name: 'Still' })).status).toBe(200);
    await demand(false);
  });

  it('users cannot remove their own requirement of a second factor', async () => {
    await restrict('Strict', { enforce_tfa: true });
    const [link] = (await send('admin', 'GET', `/access?filter[policy][_eq]=${policy('Strict')}&fields=id`))
      .data as readonly [{ readonly id: string }];
    for (const [method, path, body] of [
      ['DELETE', `/access/${link.id}`, undefined],
      ['PATCH', `/access/${link.id}`, { user: server().ids.users.get('guest') }],
      ['DELETE', `/policies/${policy('Strict')}`, undefined],
    ] as const) {
      expect(await refusalOf(send('hal', method, path, body))).toEqual(refused(lifted));
    }
    const others = await make('admin', '/access', {
      policy: policy('Strict'),
      user: server().ids.users.get('guest'),
    });
    expect((await send('hal', 'DELETE', `/access/${others}`)).status).toBe(204);
  });

  it('a permission that requires a second factor cannot be granted without it', async () => {
    await restrict('Office', { enforce_tfa: true });
    const open = await make('hal', '/policies', { name: 'Open' });
    expect(await refusalOf(send('hal', 'POST', '/permissions', { policy: open, ...notes }))).toEqual(
      refused('"read" on "author" without the second factor that your own policy requires ("enforce_tfa")'),
    );
    await make('hal', '/permissions', { policy: open, ...titles });
    const strict = await make('hal', '/policies', { name: 'Strict too', enforce_tfa: true });
    await make('hal', '/permissions', { policy: strict, ...notes });
    await make('hal', '/access', { policy: strict, role: await make('hal', '/roles', { name: 'Clerks' }) });
  });

  it('the requirement of users without a role cannot be removed', async () => {
    const strict = await make('admin', '/policies', { name: 'Strict for all', enforce_tfa: true });
    const link = await make('admin', '/access', { policy: strict });
    expect(await refusalOf(send('hal', 'DELETE', `/access/${link}`))).toEqual(refused(lifted));
  });

  it('users with fewer permissions cannot lock others out by requiring a second factor', async () => {
    const { id: administrator } = (await send('admin', 'GET', '/users/me?fields=id')).data as { id: string };
    const [{ id: administrators }] = (await send('admin', 'GET', '/roles?filter[name][_eq]=Administrator'))
      .data as readonly [{ readonly id: string }];
    const strict = await make('hal', '/policies', { name: 'Trap', enforce_tfa: true });
    const holders = [
      { user: administrator },
      { role: administrators },
      { user: server().ids.users.get('guest') },
      {},
    ];
    for (const holder of holders) {
      expect(await refusalOf(send('hal', 'POST', '/access', { policy: strict, ...holder }))).toEqual(
        refused(trapped),
      );
    }
    const asks = send('hal', 'PATCH', `/policies/${policy('Elsewhere')}`, { enforce_tfa: true });
    expect(await refusalOf(asks)).toEqual(refused(trapped));
    expect((await send('admin', 'GET', '/users?limit=1')).status).toBe(200);
  });

  it('a granted rule cannot use fields that the granting user cannot read', async () => {
    const id = await make('hal', '/policies', { name: 'Fewer rows' });
    const grant = (permissions: object) =>
      send('hal', 'POST', '/permissions', { policy: id, ...titles, permissions });
    const told = [
      { price: { _gt: 1 } },
      { _or: [{ title: { _eq: 'x' } }, { _and: [{ price: { _null: true } }] }] },
      { author: { name: { _nnull: true } } },
      { title: { _and: [{ secret: { _eq: 1 } }] } },
    ];
    for (const rule of told)
      expect(await refusalOf(grant(rule))).toEqual(refused('"read" on "book" beyond your own permissions'));
    for (const rule of [{ title: { _contains: 'a' } }, { _or: [{ title: { _eq: 'x' } }] }]) {
      const { status, data } = await grant(rule);
      expect(status).toBe(200);
      made.push(`/permissions/${(data as { readonly id: number }).id}`);
    }
  });
});
