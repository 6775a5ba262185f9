/** Values of rules that are null, cells behind variables, and payloads that spell a value in another way. */
import { describe, expect, it } from 'vitest';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf, type TestAccess, type TestMeta } from '../server-harness.js';
import { libraryMeta, librarySql } from './library.js';

const settings = settingsOf(import.meta.url);

const access: TestAccess = {
  policies: {
    Books: [
      { collection: 'book', action: 'read', fields: ['*'] },
      { collection: 'book', action: 'create', fields: ['*'] },
      { collection: 'author', action: 'read', fields: ['*'] },
    ],
    Rule: [],
    Cheap: [
      { collection: 'book', action: 'update', fields: ['price'], validation: { price: { _lt: '10.5' } } },
    ],
    Titles: [
      {
        collection: 'book',
        action: 'update',
        fields: ['title'],
        permissions: { id: { _neq: 202 } },
      },
    ],
    Self: [
      {
        collection: 'svc_users',
        action: 'read',
        fields: ['id', 'email'],
        permissions: { id: { _eq: '$CURRENT_USER' } },
      },
    ],
    Others: [
      {
        collection: 'svc_users',
        action: 'read',
        fields: ['id', 'email'],
        permissions: { status: { _eq: 'invited' } },
      },
    ],
    OwnRole: [
      {
        collection: 'svc_roles',
        action: 'read',
        fields: ['name', 'parent'],
        permissions: { id: { _eq: '$CURRENT_ROLE' } },
      },
    ],
    Secretive: [
      {
        collection: 'svc_users',
        action: 'update',
        fields: ['password', 'token'],
        permissions: { id: { _eq: '$CURRENT_USER' } },
        validation: { password: { _regex: '^long' } },
      },
    ],
    Boards: [
      { collection: 'svc_dashboards', action: 'create', fields: ['*'] },
      { collection: 'svc_dashboards', action: 'update', fields: ['*'] },
      { collection: 'svc_dashboards', action: 'read', fields: ['*'] },
    ],
  },
  roles: { Above: { policies: [] }, Below: { parent: 'Above', policies: ['Books', 'OwnRole'] } },
  users: {
    below: { role: 'Below' },
    boards: { policies: ['Boards'] },
    ruled: { policies: ['Rule'] },
    placed: { role: 'Above', policies: ['Rule'] },
    reader: { policies: ['Books'] },
    self: { policies: ['Books', 'Self'] },
    others: { policies: ['Books', 'Others'] },
    both: { policies: ['Books', 'Cheap', 'Titles'] },
    secretive: { policies: ['Secretive'] },
  },
};

describe.each(settings)('values of rules on $dialect through $listener', (setting) => {
  const pins =
    'alter table "svc_users" add column "pin" varchar(20); update "svc_users" set "pin" = \'4711\';';
  const sql = librarySql(setting.dialect) + sqlFor(setting.dialect, pins);
  const meta: TestMeta = {
    ...libraryMeta,
    fields: { ...libraryMeta.fields, svc_users: { pin: { special: ['conceal'] } } },
  };
  const server = useServer({ ...setting, sql, meta, access, followsSchema: false });
  const send = (as: string | null, method: string, path: string, body?: unknown) =>
    server().request(method, path, {
      ...(as === null ? {} : { as }),
      ...(body === undefined ? {} : { body }),
    });

  const author = (born: string) => send('ruled', 'POST', '/items/author', { name: 'x', born });
  const change = (body: unknown, key = 201) => send('both', 'PATCH', `/items/book/${key}`, body);
  const asks = (as: string, variable: string) =>
    send(as, 'SEARCH', '/items/book', {
      query: { filter: { title: { _eq: variable } }, fields: ['title'] },
    });

  const withRule = async (permission: Readonly<Record<string, unknown>>, run: () => Promise<void>) => {
    const { data, status } = await send('admin', 'POST', '/permissions', {
      collection: 'book',
      action: 'read',
      fields: ['*'],
      policy: server().ids.policies.get('Rule'),
      ...permission,
    });
    expect(status).toBe(200);
    try {
      await run();
    } finally {
      await send('admin', 'DELETE', `/permissions/${(data as { readonly id: number }).id}`);
    }
  };

  const textOperators = ['contains', 'starts_with', 'ends_with'].flatMap((name) =>
    ['', 'n'].flatMap((not) => ['', 'i'].map((any) => `_${not}${any}${name}`)),
  );

  const nullRules: readonly (readonly [Readonly<Record<string, unknown>>])[] = [
    ...textOperators.flatMap((operator) =>
      ['$CURRENT_USER.last_name', '$CURRENT_ROLES', '$CURRENT_ROLE.name', '$CURRENT_USER.token'].map(
        (variable): readonly [Readonly<Record<string, unknown>>] => [{ title: { [operator]: variable } }],
      ),
    ),
    [{ price: { _nbetween: ['$CURRENT_USER.last_name', 1] } }],
    [{ price: { _nbetween: [1, '$CURRENT_USER.last_name'] } }],
    [{ price: { _between: ['$CURRENT_USER.last_name', 100_000] } }],
    [{ title: { _neq: '$CURRENT_USER.last_name' } }],
    [{ title: { _nin: ['x', '$CURRENT_USER.last_name'] } }],
    [{ title: { _nin: '$CURRENT_ROLES' } }],
  ];

  it.each(nullRules)('a rule whose value is null, %j, matches no row', async (permissions) => {
    await withRule({ permissions }, async () => {
      expect(await send('ruled', 'GET', '/items/book?limit=1')).toMatchObject({ status: 200, data: [] });
    });
    await withRule({ permissions, action: 'update' }, async () => {
      expect((await send('ruled', 'PATCH', '/items/book/201', { note: 'taken' })).codes).toEqual([
        'FORBIDDEN',
      ]);
    });
  });

  it('does not resolve variables in the value of a variable', async () => {
    await send('admin', 'PATCH', `/users/${server().ids.users.get('ruled')}`, {
      first_name: '$CURRENT_USER.email',
      last_name: null,
    });
    const permissions = { title: { _nin: ['$CURRENT_USER.first_name'] } };
    await withRule({ permissions }, async () => {
      const own = await send('admin', 'POST', '/items/book?fields=id', { title: '$CURRENT_USER.email' });
      const { id } = own.data as { readonly id: number };
      expect((await send('ruled', 'GET', `/items/book?filter[id][_eq]=${id}&fields=id`)).data).toEqual([]);
    });
  });

  it.each([
    [{ price: { _gte: 5 } }, { price: null }],
    [{ price: { _lte: '12.345678901234567890' } }, { price: '12.35' }],
    [{ year: { _eq: '$CURRENT_USER.last_name' } }, { year: 0 }],
    [{ year: { _neq: '$CURRENT_USER.last_name' } }, { year: 7 }],
    [{ year: { _nbetween: ['$CURRENT_USER.last_name', 3] } }, { year: 7 }],
    [{ note: { _eq: '$CURRENT_USER.last_name' } }, { note: 'null' }],
    [{ note: { _starts_with: '$CURRENT_USER.last_name' } }, { note: 'null' }],
    [{ note: { _nin: '$CURRENT_ROLES' } }, { note: 'x' }],
    [{ note: { _eq: '$CURRENT_USER.email' } }, { note: null }],
    [{ stock: { _lt: 10 } }, { stock: ' 1e1 ' }],
    [{ lent: { _eq: false } }, { lent: '1' }],
    [{ isbn: { _gt: '9' } }, { isbn: '10' }],
    [{ year: { _neq: 5 } }, { year: null }],
  ])('validates a payload in its stored form: %j rejects %j', async (validation, body) => {
    await withRule({ action: 'create', validation }, async () => {
      const { codes } = await send('ruled', 'POST', '/items/book', { title: 'held', ...body });
      expect(codes).toEqual(['FAILED_VALIDATION']);
    });
  });

  it.each([
    [{ price: { _lte: '12.350' } }, { price: 12.35 }],
    [{ _or: [{ year: { _null: true } }, { year: { _neq: 5 } }] }, { year: null }],
    [{ stock: { _in: ['7', 8] } }, { stock: ' 7 ' }],
    [{ stock: { _lt: 1e300 } }, { stock: 7 }],
    [{ lent: { _eq: 1 } }, { lent: 'true' }],
    [{ note: { _null: true } }, { note: null }],
    [{ note: { _nistarts_with: 'B' } }, { note: 'abc' }],
  ])('%j passes %j', async (validation, body) => {
    await withRule({ action: 'create', validation }, async () => {
      expect((await send('ruled', 'POST', '/items/book', { title: 'held', ...body })).status).toBe(204);
    });
  });

  it('compares dates in their stored form', async () => {
    const validation = { born: { _lte: '2000-01-01' } };
    await withRule({ collection: 'author', action: 'create', validation }, async () => {
      for (const born of [' 2000-01-02', '2000-01-02T00:00:00Z', '2000-01-01T23:30:00-01:00'])
        expect((await author(born)).codes).toEqual(['FAILED_VALIDATION']);
      expect((await author(' 1999-12-31 ')).status).toBe(204);
    });
  });

  it('permits by each permission what passes its own validation', async () => {
    expect((await change({ price: '10.4' })).status).toBe(200);
    expect((await change({ price: '10.50' })).codes).toEqual(['FAILED_VALIDATION']);
    expect((await change({ price: 1000, title: 'dear' })).codes).toEqual(['FAILED_VALIDATION']);
    expect((await change({ title: 'dear' })).status).toBe(200);
    expect((await change({ price: 1 }, 202)).status).toBe(200);
    expect((await change({ title: 'not this one' }, 202)).codes).toEqual(['FORBIDDEN']);
  });

  describe('a path of a variable in a query', () => {
    it('requires permission to read the cell', async () => {
      for (const [as, variable] of [
        ['reader', '$CURRENT_USER.email'],
        ['reader', '$CURRENT_POLICIES.name'],
        ['reader', '$CURRENT_ROLE.name'],
        ['reader', '$CURRENT_ROLES.description'],
        ['self', '$CURRENT_USER.external_identifier'],
        ['self', '$CURRENT_USER.role.name'],
        ['others', '$CURRENT_USER.email'],
        ['below', '$CURRENT_ROLES.name'],
        ['below', '$CURRENT_ROLE.parent.name'],
        ['admin', '$CURRENT_USER.nothing'],
        // concealed
        ['admin', '$CURRENT_USER.pin'],
        ['admin', '$CURRENT_USER.token'],
      ] as const) {
        expect((await asks(as, variable)).codes).toEqual(['FORBIDDEN']);
        const inList = await send(as, 'GET', `/items/book?filter[title][_in]=x,${variable}`);
        expect(inList.codes).toEqual(['FORBIDDEN']);
      }
    });

    it('finds readable items', async () => {
      const { data } = await send('self', 'GET', '/users/me?fields=email');
      const { email } = data as { readonly email: string };
      await send('admin', 'POST', '/items/book', { title: email });
      expect((await asks('self', '$CURRENT_USER.email')).data).toEqual([{ title: email }]);
      expect((await asks('reader', '$CURRENT_USER')).data).toEqual([]);
      expect((await asks('below', '$CURRENT_ROLE.name')).data).toEqual([]);
      expect((await asks('admin', '$CURRENT_POLICIES.name')).status).toBe(400);
    });
  });

  it('a rule may name columns that a team added to roles and policies', async () => {
    const added = ['svc_roles', 'svc_policies'].map(
      (table) =>
        `alter table "${table}" add column "area" varchar(20); update "${table}" set "area" = '${table}';`,
    );
    await server().execute(sqlFor(setting.dialect, added.join('\n')));
    const titles = ['svc_policies', 'svc_roles'].map((title) => ({ title }));
    expect((await send('admin', 'POST', '/items/book', titles)).status).toBe(200);
    const isOwn = [{ _eq: '$CURRENT_ROLE.area' }, { _in: '$CURRENT_POLICIES.area' }];
    await withRule({ permissions: { _or: isOwn.map((title) => ({ title })) } }, async () => {
      expect((await send('placed', 'GET', '/items/book?fields=title&sort=title')).data).toEqual(titles);
    });
  });

  it('does not repeat concealed values in errors', async () => {
    for (const body of [
      { password: 'short secret' },
      { password: { deep: 'short secret' } },
      { password: `long ${'secret'.repeat(2000)}` },
    ]) {
      const { status, text } = await send('secretive', 'PATCH', '/users/me', body);
      expect(status).toBe(400);
      expect(text).not.toContain('secret');
    }
    const path = `/users/${server().ids.users.get('secretive')}`;
    const long = await send('admin', 'PATCH', path, { token: 'secret'.repeat(60) });
    expect(long.codes).toEqual(['VALUE_TOO_LONG']);
    expect(long.text).not.toContain('secret');
  });

  it('sets the author and time of a dashboard only by the server', async () => {
    const forged = { user_created: server().ids.users.get('reader') };
    const { data, status } = await send('boards', 'POST', '/dashboards', { name: 'own' });
    const { id, user_created } = data as { readonly id: string; readonly user_created: string };
    expect({ status, user_created }).toEqual({ status: 200, user_created: server().ids.users.get('boards') });
    for (const given of [forged, { date_created: '2001-01-01T00:00:00Z' }]) {
      expect((await send('boards', 'POST', '/dashboards', { name: 'x', ...given })).codes).toEqual([
        'FORBIDDEN',
      ]);
      expect((await send('boards', 'PATCH', `/dashboards/${id}`, given)).codes).toEqual(['FORBIDDEN']);
    }
  });
});
