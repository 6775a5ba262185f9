/** Steps of a program for the public system, written from the documentation of its SDK: logins, items, GraphQL. */
import * as sdk from '@directus/sdk';
import { expect } from 'vitest';
import { asAdmin, withLogin, admin, noted, note, connect, type Step, type Untyped } from './surroundings.js';

const {
  aggregate,
  createItem,
  createItems,
  deleteItem,
  deleteItems,
  passwordRequest,
  passwordReset,
  readGraphqlSdl,
  readItem,
  readItems,
  readMe,
  readOpenApiSpec,
  readProviders,
  readSingleton,
  schemaApply,
  schemaDiff,
  schemaSnapshot,
  serverHealth,
  serverInfo,
  serverPing,
  updateItem,
  updateItems,
  updateItemsBatch,
  updateSingleton,
  withToken,
}: Untyped = sdk;

export const contentSteps: Readonly<Record<string, Step>> = {
  async 'auth: log in and read oneself'(here) {
    const client = withLogin(here);
    const login = await client.login(admin.email, admin.password);
    expect(login).toMatchObject({ access_token: expect.any(String), refresh_token: expect.any(String) });
    expect(await client.request(readMe({ fields: ['email'] }))).toEqual({ email: admin.email });
  },
  async 'auth: refresh'(here) {
    const client = withLogin(here);
    const { access_token: before } = await client.login(admin.email, admin.password);
    const { access_token: after } = await client.refresh();
    expect(after).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(await client.request(withToken(after ?? '', readMe({ fields: ['email'] })))).toBeTruthy();
    expect(before).toBeTruthy();
  },
  async 'auth: log out'(here) {
    const client = withLogin(here);
    await client.login(admin.email, admin.password);
    await client.logout();
    expect(await client.getToken()).toBeNull();
  },
  async 'auth: session mode'(here) {
    const client = withLogin(here, 'session');
    expect(await client.login(admin.email, admin.password)).toMatchObject({ expires: expect.any(Number) });
  },
  async 'auth: wrong password'(here) {
    const failed = withLogin(here).login(admin.email, 'wrong');
    await expect(failed).rejects.toMatchObject({ errors: [{ extensions: { code: 'INVALID_CREDENTIALS' } }] });
  },
  async 'auth: providers'(here) {
    expect(await connect(here).request(readProviders())).toEqual([]);
  },
  async 'auth: request and reset a password'(here) {
    await connect(here).request(passwordRequest(admin.email));
    const token = await here.tokenTo(admin.email);
    await connect(here).request(passwordReset(token, admin.password));
  },
  async 'server: ping'(here) {
    expect(await connect(here).request(serverPing())).toBe('pong');
  },
  async 'server: health'(here) {
    expect(await asAdmin(here).request(serverHealth())).toMatchObject({ status: 'ok' });
  },
  async 'server: info'(here) {
    const info = { project: { project_name: expect.any(String) }, queryLimit: { default: 100, max: -1 } };
    expect(await asAdmin(here).request(serverInfo())).toMatchObject(info);
  },
  async 'server: OpenAPI'(here) {
    expect(await asAdmin(here).request(readOpenApiSpec())).toMatchObject({ openapi: expect.any(String) });
  },
  async 'server: GraphQL schema'(here) {
    expect(await asAdmin(here).request(readGraphqlSdl('items' as Untyped))).toContain('type Query');
    expect(await asAdmin(here).request(readGraphqlSdl('system'))).toContain('type Mutation');
  },
  async 'items: create one'(here) {
    const made = await asAdmin(here).request(createItem('artists', { name: 'Step', slug: 'step' }));
    expect(made).toMatchObject({ name: 'Step', active: true });
    note(here, 'artist', made.id);
  },
  async 'items: create many'(here) {
    const rows = [
      { name: 'Two', slug: 'two' },
      { name: 'Three', slug: 'three' },
    ];
    const made: Untyped = await asAdmin(here).request(createItems('artists', rows, { fields: ['name'] }));
    expect(made).toEqual([{ name: 'Two' }, { name: 'Three' }]);
  },
  async 'items: read one'(here) {
    expect(
      await asAdmin(here).request(readItem('artists', noted(here, 'artist'), { fields: ['name', 'slug'] })),
    ).toEqual({ name: 'Step', slug: 'step' });
  },
  async 'items: filter, sort and limit'(here) {
    const query = {
      filter: { slug: { _in: ['two', 'three'] } },
      sort: ['-name'],
      limit: 1,
      fields: ['name'],
    };
    expect(await asAdmin(here).request(readItems('artists', query))).toEqual([{ name: 'Two' }]);
  },
  async 'items: search'(here) {
    expect(await asAdmin(here).request(readItems('artists', { search: 'Three', fields: ['name'] }))).toEqual([
      { name: 'Three' },
    ]);
  },
  async 'items: page and offset'(here) {
    const read = (page: number) =>
      asAdmin(here).request(readItems('artists', { page, limit: 2, sort: ['id'], fields: ['id'] }));
    const [first, second]: Untyped[] = await Promise.all([read(1), read(2)]);
    expect(first).toHaveLength(2);
    expect(second[0].id).not.toBe(first[0].id);
  },
  async 'items: update one'(here) {
    expect(
      await asAdmin(here).request(
        updateItem('artists', noted(here, 'artist'), { born: '1900-01-02' }, { fields: ['born'] }),
      ),
    ).toEqual({ born: '1900-01-02' });
  },
  async 'items: update many by key'(here) {
    expect(
      await asAdmin(here).request(
        updateItems('artists', [noted(here, 'artist')], { rating: 4 }, { fields: ['rating'] }),
      ),
    ).toEqual([{ rating: 4 }]);
  },
  async 'items: update a batch'(here) {
    const rows = [{ id: Number(noted(here, 'artist')), rating: 5 }];
    expect(await asAdmin(here).request(updateItemsBatch('artists', rows, { fields: ['rating'] }))).toEqual([
      { rating: 5 },
    ]);
  },
  async 'items: create with relations'(here) {
    const theme: Untyped = await asAdmin(here).request(createItem('themes', { name: 'Step theme' }));
    const work = {
      title: 'Nested',
      artist: Number(noted(here, 'artist')),
      themes: [{ theme_id: theme.id }],
    };
    const made = await asAdmin(here).request(createItem('works', work));
    note(here, 'work', made.id);
  },
  async 'items: create a related item in the same request'(here) {
    const work = {
      title: 'Deep',
      artist: { name: 'Deep artist' },
      themes: [{ theme_id: { name: 'Deep theme' } }],
    };
    const made = await asAdmin(here).request(
      createItem('works', work, { fields: ['id', { artist: ['name'] }] } as Untyped),
    );
    expect(made).toMatchObject({ artist: { name: 'Deep artist' } });
    await asAdmin(here).request(deleteItem('works', made.id));
  },
  async 'items: read nested'(here) {
    const fields = ['title', { artist: ['name'] }, { themes: [{ theme_id: ['name'] }] }] as Untyped;
    expect(await asAdmin(here).request(readItem('works', noted(here, 'work'), { fields }))).toEqual({
      title: 'Nested',
      artist: { name: 'Step' },
      themes: [{ theme_id: { name: 'Step theme' } }],
    });
  },
  async 'items: filter by a relation'(here) {
    const query = { filter: { artist: { name: { _eq: 'Step' } } }, fields: ['title'] };
    expect(await asAdmin(here).request(readItems('works', query))).toEqual([{ title: 'Nested' }]);
  },
  async 'items: deep query'(here) {
    const query = {
      fields: ['name', { works: ['title'] }],
      deep: { works: { _limit: 1, _sort: ['title'] } },
    };
    expect(await asAdmin(here).request(readItem('artists', noted(here, 'artist'), query as Untyped))).toEqual(
      { name: 'Step', works: [{ title: 'Nested' }] },
    );
  },
  async 'items: change a list'(here) {
    const work = noted(here, 'work');
    const { themes }: Untyped = await asAdmin(here).request(
      updateItem('works', work, { themes: { create: [{ theme_id: null }], update: [], delete: [] } }, {
        fields: [{ themes: ['id'] }],
      } as Untyped),
    );
    expect(themes).toHaveLength(2);
  },
  async 'items: delete'(here) {
    await asAdmin(here).request(deleteItem('works', noted(here, 'work')));
    const found: Untyped = await asAdmin(here).request(
      readItems('artists', { filter: { slug: { _in: ['two', 'three'] } }, fields: ['id'] }),
    );
    await asAdmin(here).request(
      deleteItems(
        'artists',
        found.map(({ id }: { id: number }) => id),
      ),
    );
    await asAdmin(here).request(deleteItem('artists', noted(here, 'artist')));
  },
  async 'items: an item that does not exist'(here) {
    const failed = asAdmin(here).request(readItem('artists', 999_999));
    await expect(failed).rejects.toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
  },
  async 'items: aggregate'(here) {
    const counted = await asAdmin(here).request(aggregate('artists', { aggregate: { count: '*' } }));
    // the public system answers with text on some databases
    expect(counted).toEqual([{ count: expect.any(Number) }]);
  },
  async 'singleton: read and update'(here) {
    const client = asAdmin(here);
    await client.request(updateSingleton('museum', { name: 'Stepped' }));
    expect(await client.request(readSingleton('museum', { fields: ['name'] }))).toEqual({ name: 'Stepped' });
  },
  async 'graphql: query and mutation'(here) {
    const client = asAdmin(here);
    const made: Untyped = await client.query(
      'mutation ($data: create_artists_input!) { create_artists_item(data: $data) { id name } }',
      { data: { name: 'By GraphQL' } },
    );
    expect(made.create_artists_item).toMatchObject({ name: 'By GraphQL' });
    const { id } = made.create_artists_item;
    const read: Untyped = await client.query('query ($id: ID!) { artists_by_id(id: $id) { name } }', { id });
    expect(read).toEqual({ artists_by_id: { name: 'By GraphQL' } });
    await client.query('mutation ($id: ID!) { delete_artists_item(id: $id) { id } }', { id });
  },
  async 'graphql: system'(here) {
    const read: Untyped = await asAdmin(here).query('{ users_me { email } }', undefined, 'system');
    expect(read).toEqual({ users_me: { email: admin.email } });
  },
  async 'schema: snapshot'(here) {
    expect(await asAdmin(here).request(schemaSnapshot())).toMatchObject({ version: 1 });
  },
  async 'schema: diff'(here) {
    await asAdmin(here).request(schemaDiff(await asAdmin(here).request(schemaSnapshot())));
  },
  async 'schema: apply'(here) {
    const client = asAdmin(here);
    const snapshot: Untyped = await client.request(schemaSnapshot());
    const collections = snapshot.collections.map((each: Untyped) =>
      each.collection === 'themes' ? { ...each, meta: { ...each.meta, note: 'By a step' } } : each,
    );
    await client.request(schemaApply(await client.request(schemaDiff({ ...snapshot, collections }))));
    const applied: Untyped = await client.request(schemaSnapshot());
    expect(applied.collections).toContainEqual(
      expect.objectContaining({
        collection: 'themes',
        meta: expect.objectContaining({ note: 'By a step' }),
      }),
    );
  },
};
