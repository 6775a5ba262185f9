/** `on_conflict`: a create of rows that may be stored already. */
import { describe, expect, it, vi } from 'vitest';
import type { Executor } from '../../../runtime/databases/contract.js';
import { recordStatements } from '../harness/statements.js';
import { settings } from '../server-harness.js';
import { useShop } from './upsert-shop.js';

describe.each(settings)('on_conflict on $dialect through $listener', (setting) => {
  const { server, post, stored } = useShop(setting);

  it('changes stored rows and creates the others, in the order of the payload', async () => {
    expect(
      await post('on_conflict=update&conflict=sku&fields=sku,title,price', [
        { sku: 'c', price: 30 },
        { sku: 'b', title: 'changed', price: 21 },
        { sku: 'd', title: 'new', price: 40 },
        { sku: 'a', price: 11 },
      ]),
    ).toEqual({
      status: 200,
      data: [
        { sku: 'c', title: null, price: 30 },
        { sku: 'b', title: 'changed', price: 21 },
        { sku: 'd', title: 'new', price: 40 },
        { sku: 'a', title: 'first', price: 11 },
      ],
      outcomes: ['created', 'updated', 'created', 'updated'],
    });
    expect(await stored('sku')).toHaveLength(4);
  });

  it('ignores stored rows', async () => {
    expect(
      await post('on_conflict=ignore&conflict=sku&fields=sku,price', [
        { sku: 'a', price: 99 },
        { sku: 'c', price: 30 },
      ]),
    ).toEqual({
      status: 200,
      data: [
        { sku: 'a', price: 10 },
        { sku: 'c', price: 30 },
      ],
      outcomes: ['ignored', 'created'],
    });
  });

  it('compares the key by default, and creates where the database generates it', async () => {
    const result = await post('on_conflict=update&fields=sku,price', [
      { id: 1, sku: 'a', price: 12 },
      { sku: 'c', price: 30 },
    ]);
    expect(result).toMatchObject({
      data: [
        { sku: 'a', price: 12 },
        { sku: 'c', price: 30 },
      ],
      outcomes: ['updated', 'created'],
    });
  });

  it('returns an object for an object', async () => {
    expect(
      await post('on_conflict=update&conflict=sku&fields=id,title', { sku: 'a', title: 'x', price: 1 }),
    ).toEqual({
      status: 200,
      data: { id: 1, title: 'x' },
      outcomes: ['updated'],
    });
  });

  it.each(['shop,slug', 'slug,shop', 'item_slug'])('compares the constraint %s', async (conflict) => {
    expect(
      await post(`on_conflict=update&conflict=${conflict}&fields=id,title`, [
        { sku: 'z', shop: 1, slug: 'x', title: 'same shop', price: 1 },
      ]),
    ).toMatchObject({ data: [{ id: 1, title: 'same shop' }], outcomes: ['updated'] });
    expect(
      await post(`on_conflict=update&conflict=${conflict}`, [{ sku: 'q', shop: 2, slug: 'x', price: 1 }]),
    ).toMatchObject({
      outcomes: ['created'],
    });
  });

  it('takes null for a value that no other row has', async () => {
    expect(
      await post('on_conflict=update&conflict=place', [
        { sku: 'e', place: null, price: 1 },
        { sku: 'f', place: null, price: 1 },
      ]),
    ).toMatchObject({ outcomes: ['created', 'created'] });
  });

  it('refuses a conflict with another constraint, at once', async () => {
    const spy = vi.spyOn(server().database, 'transaction');
    for (const action of ['update', 'ignore'])
      expect(
        await post(`on_conflict=${action}&conflict=sku`, [
          { sku: 'n', price: 1 },
          { sku: 'm', place: 1, price: 1 },
        ]),
      ).toMatchObject({ status: 400, codes: ['RECORD_NOT_UNIQUE'] });
    expect(spy).toHaveBeenCalledTimes(2);
    spy.mockRestore();
    expect(await stored('sku')).toHaveLength(2);
  });

  it('treats rows with the same values one after another', async () => {
    expect(
      await post('on_conflict=update&conflict=sku&fields=sku,title,price', [
        { sku: 'n', title: 'one', price: 1 },
        { sku: 'a', price: 5 },
        { sku: 'n', price: 2 },
        { sku: 'n', price: 3 },
      ]),
    ).toMatchObject({
      data: [
        { sku: 'n', title: 'one', price: 3 },
        { sku: 'a', price: 5 },
      ],
      outcomes: ['created', 'updated', 'updated', 'updated'],
    });
    expect(
      await post('on_conflict=ignore&conflict=sku', [
        { sku: 'o', price: 1 },
        { sku: 'o', price: 2 },
      ]),
    ).toMatchObject({ outcomes: ['created', 'ignored'] });
  });

  it('leaves it to the database which values are equal', async () => {
    const isEqual = setting.dialect === 'mariadb' || setting.dialect === 'mysql';
    expect(
      await post('on_conflict=update&conflict=sku&fields=price', [
        { sku: 'A', price: 1 },
        { sku: 'n', price: 2 },
        { sku: 'N', price: 3 },
      ]),
    ).toMatchObject({
      outcomes: isEqual ? ['updated', 'created', 'updated'] : ['created', 'created', 'created'],
    });
    const tag = { code: 'T', label: 'x' };
    expect(await post('on_conflict=update', tag, { collection: 'tag' })).toMatchObject({
      outcomes: [isEqual ? 'updated' : 'created'],
    });
  });

  it('does not change the key of a stored row', async () => {
    expect(await post('on_conflict=update&conflict=sku', { id: 9, sku: 'a', price: 1 })).toMatchObject({
      status: 400,
      codes: ['INVALID_PAYLOAD'],
    });
    expect(await post('on_conflict=update&conflict=sku', { id: 1, sku: 'a', price: 1 })).toMatchObject({
      outcomes: ['updated'],
    });
  });

  it('requires the fields of a new row only for rows that are created', async () => {
    expect(await post('on_conflict=update&conflict=sku', { sku: 'a', title: 'x' })).toMatchObject({
      outcomes: ['updated'],
    });
    expect(
      await post('on_conflict=update&conflict=sku', [
        { sku: 'a', title: 'y' },
        { sku: 'n', title: 'y' },
        { sku: 'm' },
      ]),
    ).toMatchObject({ status: 400, codes: ['FAILED_VALIDATION', 'FAILED_VALIDATION'] });
    expect(await post('on_conflict=ignore&conflict=sku', { sku: 'a', title: 'x' })).toMatchObject({
      codes: ['FAILED_VALIDATION'],
    });
  });

  it('reports all problems of all rows', async () => {
    const { codes, errors } = (await post('on_conflict=update&conflict=sku', [
      { sku: 'a', price: 'x' },
      { sku: 'b', price: 1, titel: 'x' },
      'text',
    ])) as { codes: string[]; errors: { index?: number }[] };
    expect(codes).toEqual(['FAILED_VALIDATION', 'INVALID_PAYLOAD', 'INVALID_PAYLOAD']);
    expect(errors[0]?.index).toBe(0);
  });

  it('writes relations of created and of changed rows', async () => {
    const send = (body: unknown) =>
      post('on_conflict=update&fields=code,label,notes.text', body, { collection: 'tag' });
    expect(
      await send([
        { code: 't', notes: { create: [{ text: 'more' }] } },
        { code: 'u', label: 'new', notes: [{ text: 'own' }] },
      ]),
    ).toMatchObject({
      data: [
        { code: 't', label: 'kept', notes: [{ text: 'old' }, { text: 'more' }] },
        { code: 'u', label: 'new', notes: [{ text: 'own' }] },
      ],
      outcomes: ['updated', 'created'],
    });
    expect(
      await post('on_conflict=update&conflict=sku&fields=shop.name', [
        { sku: 'a', shop: { name: 'three' }, price: 1 },
        { sku: 'n', shop: { name: 'four' }, price: 1 },
      ]),
    ).toMatchObject({ data: [{ shop: { name: 'three' } }, { shop: { name: 'four' } }] });
  });

  it('stores nothing in a dry run', async () => {
    const before = await stored();
    expect(
      await post('on_conflict=update&conflict=sku&dry_run=true&fields=price', [
        { sku: 'a', price: 5 },
        { sku: 'n', price: 6 },
      ]),
    ).toMatchObject({ data: [{ price: 5 }, { price: 6 }], outcomes: ['updated', 'created'] });
    expect(await stored()).toEqual(before);
  });

  it('records creates and updates in activity', async () => {
    await post('on_conflict=update&conflict=sku', [
      { sku: 'a', price: 5 },
      { sku: 'n', price: 6 },
    ]);
    const { data } = await server().request('GET', '/activity?fields=action,collection&sort=-id&limit=2', {
      as: 'admin',
    });
    expect(data).toEqual(
      expect.arrayContaining([
        { action: 'update', collection: 'item' },
        { action: 'create', collection: 'item' },
      ]),
    );
  });

  it('creates rows of one kind by one statement', async () => {
    const many = Array.from({ length: 300 }, (_, index) => ({ sku: `m${index}`, price: index }));
    const statements = await recordStatements(server().database, async () => {
      expect((await post('on_conflict=ignore&conflict=sku', many)).outcomes).toHaveLength(300);
    });
    expect(statements.length).toBeLessThan(20);
  });

  it('neither fails nor doubles rows when several requests store the same', async () => {
    const body = Array.from({ length: 5 }, (_, index) => ({ sku: `r${index}`, price: index }));
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        post(`on_conflict=${index % 2 === 0 ? 'update' : 'ignore'}&conflict=sku`, body),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 200));
    const outcomes = results.flatMap((result) => result.outcomes ?? []);
    expect(outcomes.filter((each) => each === 'created')).toHaveLength(5);
    expect(await stored('sku')).toHaveLength(7);
  });

  const graphql = async (query: string, as = 'admin') =>
    (await server().request('POST', '/graphql', { as, body: { query } })).body;

  it('is an argument in GraphQL', async () => {
    expect(
      await graphql(`
        mutation {
          some: create_item_items(
            on_conflict: update
            conflict: ["sku"]
            data: [{ sku: "a", price: 5 }, { sku: "n", price: 6 }]
          ) {
            sku
            price
          }
          one: create_item_item(on_conflict: ignore, conflict: "sku", data: { sku: "b", price: 7 }) {
            price
          }
        }
      `),
    ).toEqual({
      data: {
        some: [
          { sku: 'a', price: 5 },
          { sku: 'n', price: 6 },
        ],
        one: { price: 20 },
      },
      extensions: { meta: { some: { outcomes: ['updated', 'created'] }, one: { outcomes: ['ignored'] } } },
    });
    expect(
      await graphql('mutation { create_item_item(conflict: "sku", data: { sku: "z", price: 1 }) { id } }'),
    ).toMatchObject({ errors: [{ extensions: { code: 'INVALID_QUERY' } }] });
  });

  it.each([
    ['POST', 'onConflict=update'],
    ['POST', 'on-conflict=update'],
    ['POST', 'on_conflict=replace'],
    ['POST', 'on_conflict'],
    ['POST', 'conflict=sku'],
    ['POST', 'on_conflict=update&conflict='],
    ['POST', 'on_conflict=update&conflict=title'],
    ['POST', 'on_conflict=update&conflict=none'],
    ['PATCH', 'on_conflict=update'],
    ['DELETE', 'on_conflict=ignore'],
  ])('%s refuses %s', async (method, query) => {
    const before = await stored();
    const { status, codes } = await server().request(method, `/items/item?${query}`, {
      as: 'admin',
      body: method === 'POST' ? [{ sku: 'n', price: 1 }] : { keys: [1], data: { price: 1 } },
    });
    expect({ status, codes }).toEqual({ status: 400, codes: ['INVALID_QUERY'] });
    expect(await stored()).toEqual(before);
  });
});

/** Returns an executor that calls back after each search for stored rows, before its caller has the result. */
const afterSearch = (executor: Executor, then: () => Promise<void>): Executor => ({
  ...executor,
  async query(text, values) {
    const found = await executor.query(text, values);
    if (text.includes('sku')) await then();
    return found;
  },
});

/** In SQLite, nobody else writes during a transaction. */
const concurrent = settings.filter(({ dialect }) => dialect !== 'sqlite');

describe.each(concurrent)('on_conflict beside another writer on $dialect through $listener', (setting) => {
  const { server, post } = useShop(setting);

  it('creates a row that is deleted between the search for it and its change', async () => {
    const { database, execute } = server();
    const { transaction } = database;
    let isDeleted = false;
    const deleteOnce = async (): Promise<void> => {
      if (!isDeleted) await execute("delete from item where sku = 'a'");
      isDeleted = true;
    };
    const spy = vi
      .spyOn(database, 'transaction')
      .mockImplementationOnce((body) => transaction((executor) => body(afterSearch(executor, deleteOnce))));
    try {
      expect(await post('on_conflict=update&conflict=sku', { sku: 'a', price: 5 })).toMatchObject({
        outcomes: ['created'],
      });
    } finally {
      spy.mockRestore();
    }
  });

  it('is given up where the row is deleted in each of five attempts', async () => {
    const { database, execute } = server();
    const { transaction } = database;
    let attempts = 0;
    const spy = vi.spyOn(database, 'transaction').mockImplementation(async (body) => {
      attempts += 1;
      await execute("delete from item where sku = 'v'");
      await execute("insert into item (id, sku, price) values (77, 'v', 1)");
      return transaction((executor) =>
        body(afterSearch(executor, () => execute("delete from item where sku = 'v'"))),
      );
    });
    try {
      expect(await post('on_conflict=update&conflict=sku', { sku: 'v', price: 5 })).toMatchObject({
        status: 403,
        codes: ['FORBIDDEN'],
      });
    } finally {
      spy.mockRestore();
    }
    expect(attempts).toBe(5);
  });
});
