/** `dry_run` of writes that concern several tables, of system collections, and of operations that write items. */
import { beforeEach, describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { encodeForm } from '../recorded/forms.js';
import { settingsOf } from '../server-harness.js';
import { access, meta, sqlOf, uuid } from './many-to-any.js';

const settings = settingsOf(import.meta.url);

/** The answer of GraphQL to a write that was only tried. */
const tried = (data: unknown, rows: unknown = 1) => ({
  data: { tried: data },
  extensions: { meta: { tried: { dry_run: true, rows } } },
});

const blocks = 'blocks.kind,blocks.item:tag.weight';

describe.each(settings)('a dry run on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: sqlOf(setting.dialect),
    meta: { ...meta, collections: { block: { sort_field: 'sort', accountability: 'all' } } },
    access: {
      ...access,
      roles: { Staff: { policies: [] } },
      policies: {
        ...access.policies,
        Own: [
          { collection: 'svc_users', action: 'read', fields: ['id', 'first_name'] },
          {
            collection: 'svc_users',
            action: 'update',
            fields: ['first_name'],
            validation: { first_name: { _neq: 'bad' } },
          },
        ],
      },
      users: { ...access.users, own: { policies: ['Own'] } },
    },
  });
  const send = async (method: string, path: string, body?: unknown, as = 'admin') => {
    const { status, data, codes, headers } = await server().request(method, path, {
      as,
      ...(body !== undefined && { body }),
    });
    return { status, data, codes, dry: headers.get('x-svc-dry-run'), rows: headers.get('x-svc-rows') };
  };
  const upload = async (content: string, query: string) => {
    const form = await encodeForm([{ name: 'file', filename: 'rows', contentType: 'text/csv', content }]);
    const { status, headers, text } = await server().request('POST', `/utils/import/tag${query}`, {
      as: 'admin',
      ...form,
    });
    return { status, rows: headers.get('x-svc-rows'), text };
  };
  const graphql = async (endpoint: string, field: string, as = 'admin') =>
    (await server().request('POST', endpoint, { as, body: { query: `mutation { tried: ${field} }` } })).body;
  const tables = ['page', 'author', 'note', 'quote', 'tag', 'remark', 'block', 'svc_roles', 'svc_users'];
  const state = async () => {
    const rows = await Promise.all(
      [...tables, 'svc_activity'].map((table) =>
        server().database.query(`select * from ${table} order by 1`),
      ),
    );
    // reads of the test set this one
    return JSON.stringify(rows, (name, value: unknown) => (name === 'last_access' ? null : value));
  };
  let before: unknown;
  beforeEach(async () => {
    before = await state();
  });
  const unchanged = async () => expect(await state()).toEqual(before);

  it.each([
    [
      'the whole list of an update',
      'PATCH',
      `/items/page/1?fields=title,${blocks}`,
      { title: 'New', blocks: [{ 'item:tag': { code: 'new', weight: 9 } }, 3] },
      {
        title: 'New',
        blocks: [
          { kind: 'tag', item: { weight: 9 } },
          { kind: 'tag', item: { weight: 5 } },
        ],
      },
    ],
    [
      'the changes of a list',
      'PATCH',
      `/items/page/2?fields=${blocks}&deep[blocks][_filter][kind][_eq]=tag`,
      {
        blocks: {
          create: [{ kind: 'tag', item: 'red' }],
          update: [{ id: 5, item: { code: '4', weight: 8 }, kind: 'tag' }],
          delete: [6, 7, 8, 9, 10, 11],
        },
      },
      {
        blocks: [
          { kind: 'tag', item: { weight: 8 } },
          { kind: 'tag', item: { weight: 5 } },
        ],
      },
    ],
    [
      'an item of any collection',
      'PATCH',
      '/items/block/1?fields=kind,item:quote.source',
      { kind: 'quote', item: { id: uuid(3), source: 'Eve' } },
      { kind: 'quote', item: { source: 'Eve' } },
    ],
    [
      'an item in place of its key',
      'POST',
      '/items/remark?fields=note.heading,note.author.name',
      { note: { heading: 'Tried', author: { name: 'Zed' } } },
      { note: { heading: 'Tried', author: { name: 'Zed' } } },
    ],
  ])('stores nothing of %s', async (_title, method, path, body, data) => {
    expect(await send(method, `${path}&dry_run=true`, body)).toEqual({
      status: 200,
      data,
      codes: [],
      dry: 'true',
      rows: '1',
    });
    await unchanged();
  });

  it.each([
    [
      'PATCH',
      '/items/tag?fields=weight',
      { keys: ['red', '4'], data: { weight: 1 } },
      200,
      [{ weight: 1 }, { weight: 1 }],
    ],
    ['DELETE', '/items/quote?', { keys: [uuid(1), uuid(2)] }, 204, null],
  ])('counts the keys of %s %s', async (method, path, body, status, data) => {
    expect(await send(method, `${path}&dry_run=true`, body)).toMatchObject({
      status,
      codes: [],
      dry: 'true',
      rows: '2',
      ...(data !== null && { data }),
    });
    await unchanged();
  });

  it('tries changes and deletions of system items, with their own rules', async () => {
    const [role, user] = [server().ids.roles.get('Staff'), server().ids.users.get('reader')];
    expect(await send('PATCH', `/roles/${role}?fields=name&dry_run=true`, { name: 'Tried' })).toMatchObject({
      status: 200,
      data: { name: 'Tried' },
      dry: 'true',
      rows: '1',
    });
    expect(await send('DELETE', `/roles/${role}?dry_run=true`)).toMatchObject({ status: 204, dry: 'true' });
    expect(await send('PATCH', `/users/${user}?fields=role&dry_run=true`, { role })).toMatchObject({
      data: { role },
      dry: 'true',
    });
    expect(await send('DELETE', `/users/${user}?dry_run=true`)).toMatchObject({ status: 204, dry: 'true' });
    await unchanged();
    const me = (await send('GET', '/users/me?fields=id')).data as { readonly id: string };
    expect(await send('DELETE', `/users/${me.id}?dry_run=true`)).toMatchObject({ dry: null });
    await unchanged();
  });

  it("tries changes of the caller's own user", async () => {
    const path = '/users/me?fields=first_name&dry_run=true';
    expect(await send('PATCH', path, { first_name: 'Tried' }, 'own')).toEqual({
      status: 200,
      data: { first_name: 'Tried' },
      codes: [],
      dry: 'true',
      rows: '1',
    });
    expect(await send('PATCH', path, { first_name: 'bad' }, 'own')).toMatchObject({
      codes: ['FAILED_VALIDATION'],
      dry: null,
    });
    await unchanged();
  });

  it('tries the move of an item in its order', async () => {
    const move = { item: 1, to: 4 };
    expect(await send('POST', '/utils/sort/block?dry_run=true', move)).toMatchObject({
      status: 200,
      dry: 'true',
      rows: expect.stringMatching(/^[1-9]/),
    });
    expect(await send('POST', '/utils/sort/block?dry_run=true', move, 'reader')).toMatchObject({
      codes: ['FORBIDDEN'],
      dry: null,
    });
    await unchanged();
  });

  it('tries the import of a file, and names the rows that would fail', async () => {
    const rows = 'code,weight\nred,6\nblue,7\n';
    expect(await upload(rows, '?dry_run=true')).toMatchObject({ status: 200, rows: '2' });
    const failed = await upload(`${rows}x,much\n`, '?dry_run=true');
    expect([failed.status, failed.text]).toEqual([400, expect.stringContaining('weight')]);
    expect((await upload(rows, '?dryRun=true')).status).toBe(400);
    await unchanged();
  });

  it.each([
    ['POST', '/auth/password/request', { email: 'reader@example.com' }],
    ['POST', '/keys', { name: 'k' }],
    ['POST', '/collections', { collection: 'tried' }],
    ['POST', '/schema/apply', {}],
    ['POST', '/users/me/tfa/generate', { password: 'x' }],
    ['POST', '/utils/export/tag', { format: 'csv' }],
    ['POST', '/items/tag/export', { format: 'csv' }],
  ])('%s %s refuses it and says why', async (method, path, body) => {
    const { status, text } = await server().request(method, `${path}?dry_run=true`, { as: 'admin', body });
    expect([status, text]).toEqual([400, expect.stringContaining('effects that cannot be')]);
    await unchanged();
  });

  describe('in GraphQL', () => {
    it('is an argument of mutations of system items, and of the own user', async () => {
      const role = server().ids.roles.get('Staff');
      const system = '/graphql/system';
      const create = 'create_roles_item(data: { name: "Tried" }, dry_run: true) { name }';
      expect(await graphql(system, create)).toEqual(tried({ name: 'Tried' }));
      const update = `update_roles_item(id: "${role}", data: { name: "Tried" }, dry_run: true) { name }`;
      expect(await graphql(system, update)).toEqual(tried({ name: 'Tried' }));
      expect(await graphql(system, `delete_roles_item(id: "${role}", dry_run: true) { id }`)).toEqual(
        tried({ id: role }),
      );
      const own = 'update_users_me(data: { first_name: "Tried" }, dry_run: true) { first_name }';
      expect(await graphql(system, own, 'own')).toEqual(tried({ first_name: 'Tried' }));
      const sort = 'utils_sort(collection: "block", item: "1", to: "4", dry_run: true)';
      expect(await graphql(system, sort)).toEqual(tried(true, expect.any(Number)));
      await unchanged();
    });

    it('stores nothing of nested lists and items of any collection', async () => {
      const data =
        '{ blocks_changes: { create: [{ item__tag: { code: "new", weight: 9 } }], update: [{ id: 1, sort: 9 }], delete: [2, 3] } }';
      const fields = 'blocks { sort item { ... on tag { weight } } }';
      expect(
        await graphql('/graphql', `update_page_item(id: 1, data: ${data}, dry_run: true) { ${fields} }`),
      ).toEqual(
        tried({
          blocks: [
            { sort: 4, item: {} },
            { sort: 9, item: {} },
            { sort: 10, item: { weight: 9 } },
          ],
        }),
      );
      await unchanged();
    });
  });
});
