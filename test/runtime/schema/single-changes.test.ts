/** Single changes of collections, fields and relations, and how they change the entries that refer to them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingsOf, startTestServer, type TestServer } from '../server-harness.js';

const key = (type: string) => ({ field: 'id', type, schema: { is_primary_key: true, is_nullable: false } });

describe.each(settingsOf(import.meta.url))('on $dialect through $listener', (setting) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({
      ...setting,
      sql: `create table price (id integer not null primary key, amount decimal(6,2));
        insert into price values (1, 12.50), (2, 3.00);`,
    });
  });
  afterAll(() => server.close());

  const send = async (method: string, path: string, body?: unknown) => {
    const { status, body: answer } = await server.request(method, path, {
      as: 'admin',
      ...(body !== undefined && { body }),
    });
    return { status, ...(answer as { data?: unknown; errors?: { message: string }[] }) };
  };
  const done = async (method: string, path: string, body?: unknown) => {
    const answer = await send(method, path, body);
    expect(answer, `${method} ${path}`).toMatchObject({ status: method === 'DELETE' ? 204 : 200 });
    return answer.data;
  };

  it('a relation leads to the users, who are no part of a snapshot', async () => {
    const fields = [
      key('uuid'),
      { field: 'user_created', type: 'uuid', meta: { special: ['user-created'] } },
    ];
    await done('POST', '/collections', { collection: 'post', fields });
    const created = await done('POST', '/relations', {
      collection: 'post',
      field: 'user_created',
      related_collection: 'svc_users',
      schema: { on_delete: 'SET NULL' },
    });
    expect(created).toMatchObject({ schema: { foreign_key_table: 'svc_users', foreign_key_column: 'id' } });
    const id = '5c0f1a52-8f3e-4a7b-9a53-0f7c6a1d2e01';
    const post = await done('POST', '/items/post?fields=user_created.status', { id });
    expect(post).toEqual({ user_created: { status: 'active' } });
  });

  it('a type that changes values is taken with accept_loss', async () => {
    const refused = await send('PATCH', '/fields/price/amount', { type: 'integer' });
    expect(refused.status).toBe(400);
    expect(refused.errors?.[0]?.message).toContain('accept_loss');
    const changed = await done('PATCH', '/fields/price/amount', { type: 'integer', accept_loss: true });
    expect(changed).toMatchObject({ type: 'integer' });
    expect(await done('GET', '/items/price?fields=id&filter[amount][_eq]=3')).toEqual([{ id: 2 }]);
  });

  it('another name than that of the path is refused', async () => {
    const answer = await send('PATCH', '/fields/price/amount', { field: 'sum' });
    expect(answer.status).toBe(400);
    expect(answer.errors?.[0]?.message).toMatch(
      /"field" is "sum", but the path says "amount".*previous_name/,
    );
    expect((await send('PATCH', '/collections/price', { collection: 'cost' })).status).toBe(400);
    await done('PATCH', '/fields/price/amount', {
      collection: 'price',
      field: 'amount',
      meta: { note: 'net' },
    });
  });

  it('what refers to a deleted field or collection in meta is gone with it', async () => {
    const position = { field: 'position', type: 'integer' };
    await done('POST', '/collections', {
      collection: 'page',
      meta: { sort_field: 'position', archive_field: 'state' },
      fields: [key('integer'), position, { field: 'state', type: 'string' }],
    });
    await done('POST', '/collections', { collection: 'text', fields: [key('integer')] });
    await done('POST', '/collections', {
      collection: 'image',
      meta: { group: 'text' },
      fields: [key('integer')],
    });
    const columns = ['page', 'item'].map((field) => ({ field, type: 'integer' }));
    await done('POST', '/collections', {
      collection: 'block',
      fields: [key('integer'), ...columns, { field: 'collection', type: 'string' }, position],
    });
    await done('POST', '/fields/page', { field: 'blocks', type: 'alias', meta: { special: ['o2m'] } });
    const list = { one_field: 'blocks', sort_field: 'position' };
    await done('POST', '/relations', {
      collection: 'block',
      field: 'page',
      related_collection: 'page',
      meta: list,
    });
    await done('POST', '/relations', {
      collection: 'block',
      field: 'item',
      related_collection: null,
      meta: { one_allowed_collections: ['text', 'image'], one_collection_field: 'collection' },
      schema: null,
    });

    await done('DELETE', '/collections/text');
    expect(await done('GET', '/relations/block/item')).toMatchObject({
      meta: { one_allowed_collections: ['image'] },
    });
    expect(await done('GET', '/collections/image')).toMatchObject({ meta: { group: null } });
    await done('DELETE', '/fields/block/position');
    expect(await done('GET', '/relations/block/page')).toMatchObject({
      meta: { one_field: 'blocks', sort_field: null },
    });
    await done('DELETE', '/fields/page/position');
    await done('DELETE', '/fields/page/state');
    expect(await done('GET', '/collections/page')).toMatchObject({
      meta: { sort_field: null, archive_field: null },
    });
    await done('DELETE', '/collections/block');
    expect((await send('GET', '/fields/page/blocks')).status).toBe(403);
  });
});
