/** Collections, fields and relations one at a time, over REST, GraphQL and the SDK of the public system. */
import {
  createCollection,
  createDirectus,
  createField,
  createItem,
  createRelation,
  deleteCollection,
  deleteField,
  readCollection,
  readCollections,
  readField,
  readFieldsByCollection,
  readItems,
  readRelation,
  rest,
  staticToken,
  updateCollection,
  updateField,
} from '@directus/sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { adminToken, sampleSettings, startTestServer, type TestServer } from '../server-harness.js';

const tables = `create table product (id integer not null primary key, title varchar(40), price integer);
  insert into product values (1, 'Chair', 40), (2, 'Table', 90);
  create table shelf (id integer not null primary key, room varchar(40));`;

let server: TestServer | null = null;

afterEach(async () => {
  await server?.close();
  server = null;
});

const isLookup = (text: string): boolean => /svc_(?:access|permissions|policies|roles|users)\b/.test(text);

type Setting = ReturnType<typeof sampleSettings>[number];

const start = async (setting: Setting) => {
  server = await startTestServer({
    ...setting,
    sql: tables,
    access: {
      users: { reader: { policies: ['reader'] } },
      policies: {
        reader: [{ collection: 'product', action: 'read', fields: ['id', 'title'] }],
      },
    },
  });
  const { request } = server;
  const send =
    (method: string, as = 'admin') =>
    (path: string, body?: unknown) =>
      request(method, path, { as, ...(body !== undefined && { body }) });
  return {
    server,
    get: send('GET'),
    getAsReader: send('GET', 'reader'),
    post: send('POST'),
    patch: send('PATCH'),
    remove: send('DELETE'),
    postAsReader: send('POST', 'reader'),
  };
};

describe.each(sampleSettings(import.meta.url))('on $dialect through $listener', (setting) => {
  it('are read by as many statements however many tables there are', async () => {
    const { server: running, get } = await start(setting);
    const { execute, database } = running;
    const count = async (path: string): Promise<number> => {
      const query = vi.spyOn(database, 'query');
      const { status } = await get(path);
      // access is looked up again every few seconds
      const { length } = query.mock.calls.filter(([text]) => !isLookup(text));
      query.mockRestore();
      expect(status).toBe(200);
      return length;
    };
    const [all, ofOne] = [await count('/fields'), await count('/fields/product')];
    await execute(
      Array.from({ length: 40 }, (_, index) => `create table more_${index} (id integer primary key);`).join(
        '',
      ),
    );
    expect(await count('/fields')).toBe(all);
    expect(await count('/fields/product')).toBe(ofOne);
    expect(all).toBeGreaterThan(0);
    expect(Math.max(all, ofOne)).toBeLessThanOrEqual(20);
  });

  it('the SDK of the public system creates, changes and removes them', async () => {
    const { server: running } = await start(setting);
    const client = createDirectus(running.url).with(staticToken(adminToken)).with(rest());
    await client.request(
      createCollection({
        collection: 'offer',
        meta: { note: 'What is for sale' },
        schema: {},
        fields: [
          { field: 'id', type: 'integer', schema: { is_primary_key: true, has_auto_increment: true } },
          { field: 'name', type: 'string', meta: { required: true }, schema: { is_nullable: false } },
        ],
      } as never),
    );
    expect(await client.request(readCollection('offer' as never))).toMatchObject({
      collection: 'offer',
      meta: { collection: 'offer', note: 'What is for sale' },
      schema: { name: 'offer' },
    });
    await client.request(createField('offer' as never, { field: 'product', type: 'integer' } as never));
    await client.request(
      createRelation({
        collection: 'offer',
        field: 'product',
        related_collection: 'product',
        meta: { one_field: 'offers' },
      } as never),
    );
    expect(await client.request(readRelation('offer' as never, 'product' as never))).toMatchObject({
      related_collection: 'product',
      meta: { one_field: 'offers', many_collection: 'offer' },
      schema: { foreign_key_table: 'product', foreign_key_column: 'id' },
    });
    await client.request(createItem('offer' as never, { name: 'Sale', product: 1 } as never));
    expect(
      await client.request(readItems('product' as never, { fields: ['id', { offers: ['name'] }] } as never)),
    ).toEqual([
      { id: 1, offers: [{ name: 'Sale' }] },
      { id: 2, offers: [] },
    ]);

    await client.request(
      updateField('offer' as never, 'name' as never, { meta: { note: 'Shown' } } as never),
    );
    expect(await client.request(readField('offer' as never, 'name' as never))).toMatchObject({
      type: 'string',
      meta: { note: 'Shown', required: true },
      schema: { is_nullable: false, max_length: 255 },
    });
    await client.request(updateCollection('offer' as never, { meta: { hidden: true } } as never));
    await client.request(deleteField('offer' as never, 'product' as never));
    const fields = (await client.request(readFieldsByCollection('offer' as never))) as { field: string }[];
    expect(fields.map(({ field }) => field)).toEqual(['id', 'name']);
    await client.request(deleteCollection('offer' as never));
    const names = ((await client.request(readCollections())) as { collection: string }[]).map(
      ({ collection }) => collection,
    );
    expect(names).toEqual(['product', 'shelf']);
  }, 120_000);

  it('a collection without fields gets a key that counts, and every field type a column', async () => {
    const { get, post } = await start(setting);
    const types =
      'string text integer bigInteger float decimal boolean date dateTime time timestamp uuid json csv hash binary';
    const fields = types.split(' ').map((type) => ({ field: `a_${type}`, type }));
    expect(await post('/collections', { collection: 'plain' })).toMatchObject({ status: 200 });
    expect(await post('/items/plain', {})).toMatchObject({ status: 200, data: { id: 1 } });
    const made = await post('/collections', {
      collection: 'wide',
      fields: [{ field: 'id', type: 'uuid', schema: { is_primary_key: true } }, ...fields],
    });
    expect(made).toMatchObject({ status: 200 });
    const { body } = await get('/fields/wide');
    const found = (body as { data: { field: string; type: string }[] }).data.map(({ type }) => type);
    // what is stored as text or JSON is known by its meta alone
    expect(found).toHaveLength(fields.length + 1);
    expect(found.slice(1, 10)).toEqual(types.split(' ').slice(0, 9));
  }, 120_000);

  it('a change of keys or of a type counts, whatever the other entries say, or is refused', async () => {
    const { get, patch, post } = await start(setting);
    const schemaOf = async (path: string) =>
      ((await get(path)).body as { data: { schema: object } }).data.schema;
    await post('/fields/product', {
      field: 'code',
      type: 'string',
      schema: { max_length: 30, is_unique: true },
    });
    expect(await schemaOf('/fields/product/code')).toMatchObject({ is_unique: true, max_length: 30 });
    expect(
      (await patch('/fields/product/code', { schema: { is_unique: false, is_indexed: true } })).status,
    ).toBe(200);
    expect(await schemaOf('/fields/product/code')).toMatchObject({ is_unique: false, is_indexed: true });
    expect((await patch('/collections/product', { schema: { indexes: [] } })).status).toBe(200);
    expect(await schemaOf('/fields/product/code')).toMatchObject({ is_unique: false, is_indexed: false });

    expect(await patch('/fields/product/code', { type: 'alias' })).toMatchObject({
      status: 400,
      body: {
        errors: [
          { message: expect.stringContaining('has a column, and cannot get the type alias') as string },
        ],
      },
    });
    expect(await schemaOf('/fields/product/code')).toMatchObject({ max_length: 30 });
  });

  it('another data_type of an enum takes its labels away', async () => {
    const { get, patch, server: running } = await start(setting);
    if (!['mysql', 'mariadb'].includes(setting.dialect)) return;
    await running.execute("alter table product add mood enum('a', 'b')");
    await patch('/fields/product/mood', { meta: { note: 'Shown' } });
    const schema = { data_type: 'varchar', max_length: 20 };
    expect((await patch('/fields/product/mood', { schema })).status).toBe(200);
    expect((await get('/fields/product/mood')).data).toMatchObject({
      schema: { ...schema, enum_values: null },
    });
  });

  it('a table, a column or the target of a relation that would go is refused', async () => {
    const { patch, post } = await start(setting);
    await post('/fields/product', { field: 'shelf', type: 'integer' });
    const relation = { collection: 'product', field: 'shelf', related_collection: 'shelf' };
    await post('/relations', relation);
    const refused = async (path: string, body: object): Promise<unknown> => {
      const { status, errors } = await patch(path, body);
      return [status, errors[0]?.reason];
    };
    expect(await refused('/collections/product', { schema: null })).toEqual([
      400,
      'the collection "product" has a table, and cannot become a folder',
    ]);
    expect(await refused('/fields/product/title', { schema: null })).toEqual([
      400,
      'the field "product.title" has a column, and cannot get the type alias; delete it and create it anew',
    ]);
    expect(await refused('/relations/product/shelf', { related_collection: 'product' })).toEqual([
      400,
      'the relation "product.shelf" leads to "shelf"; delete it, and create one that leads elsewhere',
    ]);
    expect(
      (await patch('/relations/product/shelf', { ...relation, meta: { one_field: 'all' } })).status,
    ).toBe(200);
  });

  it('callers see only what they may read, and only administrators make changes', async () => {
    const { get, getAsReader, postAsReader, post, server: running } = await start(setting);
    expect((await getAsReader('/collections')).body).toMatchObject({ data: [{ collection: 'product' }] });
    const { body } = await getAsReader('/fields');
    expect((body as { data: { field: string }[] }).data.map(({ field }) => field)).toEqual(['id', 'title']);
    expect((await getAsReader('/fields/product/price')).status).toBe(403);
    expect((await getAsReader('/collections/shelf')).status).toBe(403);
    expect((await running.request('GET', '/collections')).status).toBe(403);
    expect((await postAsReader('/collections', { collection: 'mine' })).status).toBe(403);
    expect((await get('/collections')).body).toMatchObject({
      data: [{ collection: 'product' }, { collection: 'shelf' }],
    });
    for (const [path, payload] of [
      ['/collections', { collection: 'product' }],
      ['/collections', { collection: 'svc_mine' }],
      ['/fields/product', { field: 'title', type: 'string' }],
      ['/fields/product', { field: 'odd', type: 'strange' }],
      [
        '/fields/product',
        { field: 'odd', type: 'string', schema: { data_type: 'int); drop table product' } },
      ],
      ['/relations', { collection: 'product', field: 'price', related_collection: 'nowhere' }],
    ] as const)
      expect([path, payload, (await post(path, payload)).status]).toEqual([path, payload, 400]);
    expect((await post('/fields/nowhere', { field: 'title', type: 'string' })).status).toBe(403);
  });

  it('a new validation of a field is a filter that can be evaluated', async () => {
    const { patch, post, server: running } = await start(setting);
    for (const [validation, problem] of [
      [{ title: { _regex: '(?=a)' } }, '"(?=a)" is not a supported regular expression: look-ahead "(?="'],
      [
        { title: { _like: 'a' }, price: { _regex: '(?!a)' } },
        /"_like" is not an operator.*look-ahead "\(\?!"/,
      ],
      [{ title: { _eq: '$NOW(soon)' } }, 'moments as in $NOW(-1 day)'],
      ['title', 'an object'],
    ] as const) {
      const meta = { validation };
      const fields = [{ field: 'title', type: 'string', meta }];
      for (const [place, { status, errors }] of [
        ['product.title', await patch('/fields/product/title', { meta })],
        ['product.code', await post('/fields/product', { field: 'code', type: 'string', meta })],
        ['book.title', await post('/collections', { collection: 'book', fields })],
      ] as const) {
        expect({ status, errors }).toMatchObject({ status: 400, errors: [{ code: 'INVALID_PAYLOAD' }] });
        expect(errors[0]?.reason).toContain(`"validation" of "${place}" must be `);
        expect(errors[0]?.reason).toMatch(problem);
      }
    }
    await running.execute(
      `insert into svc_fields (collection, field, validation) values ('product', 'title', '{"title":{"_regex":"(?=a)"}}')`,
    );
    for (const field of ['title', 'price'])
      expect((await patch(`/fields/product/${field}`, { meta: { note: 'Shown' } })).status).toBe(200);
  });

  it('GraphQL has the same operations', async () => {
    const { post } = await start(setting);
    const run = async (query: string) => (await post('/graphql/system', { query })).body;
    expect(
      await run(
        'mutation { create_fields_item(collection: "shelf", field: "depth", type: "integer") { field type } }',
      ),
    ).toEqual({ data: { create_fields_item: { field: 'depth', type: 'integer' } } });
    expect(await run('{ fields_in_collection(collection: "shelf") { field } }')).toEqual({
      data: { fields_in_collection: [{ field: 'id' }, { field: 'room' }, { field: 'depth' }] },
    });
    expect(await run('mutation { delete_fields_item(collection: "shelf", field: "depth") }')).toEqual({
      data: { delete_fields_item: true },
    });
  });
});
