/** Writes through many-to-any relations: keys and objects of every target, in lists and alone, under the rules of each. */
import { beforeEach, describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import { access, meta, restore, sqlOf, uuid } from './many-to-any.js';

const dialects = dialectsOf(import.meta.url);

describe.each(dialects)('writes of many-to-any relations on %s', (dialect) => {
  const server = useServer({ dialect, sql: sqlOf(dialect), meta, access });
  beforeEach(() => server().execute(restore(dialect)));

  const send = (method: string, path: string, body: unknown, as = 'admin') =>
    server().request(method, `/items/${path}`, { as, body });
  const blocks = async (page: number): Promise<unknown> => {
    const fields = 'kind,sort,item.heading';
    const { data } = await server().request(
      'GET',
      `/items/page/${page}?fields=blocks.id,${fields
        .split(',')
        .map((name) => `blocks.${name}`)
        .join()}`,
      {
        as: 'admin',
      },
    );
    return (
      data as { blocks: { kind: string; sort: number; item: { heading: string } | null }[] }
    ).blocks.map(({ kind, sort, item }) => [kind, sort, item?.heading ?? null]);
  };
  const counts = async (): Promise<readonly unknown[]> =>
    Promise.all(
      ['note', 'quote', 'tag', 'block'].map(async (collection) => {
        const { body } = await server().request('GET', `/items/${collection}?limit=0&meta=total_count`, {
          as: 'admin',
        });
        return (body as { meta: { total_count: number } }).meta.total_count;
      }),
    );
  const codes = async (answer: ReturnType<typeof send>) => {
    const { status, body } = await answer;
    return [status, (body as { errors?: { extensions: { code: string } }[] }).errors?.[0]?.extensions.code];
  };

  const patch = async (body: unknown) => (await send('PATCH', 'block/1?fields=kind,item', body)).data;
  const write = (row: unknown) => send('PATCH', 'page/3', { blocks: { create: [row] } }, 'writer');
  const writeBlock = async (field: string) => {
    const query = `mutation { done: ${field} { kind item { ... on quote { source } } } }`;
    return (await server().request('POST', '/graphql', { as: 'admin', body: { query } })).body;
  };
  const writeBlockByRest = async (method: string, path: string, body: object) =>
    (await server().request(method, `/items/${path}?fields=kind,item:quote.source`, { as: 'admin', body }))
      .data;
  const mutate = async (data: string, as = 'admin') => {
    const query = `mutation { update_page_item(id: 3, data: { blocks: [${data}] }) { blocks { kind item { ... on note { heading } ... on tag { weight } } } } }`;
    const { body } = await server().request('POST', '/graphql', { as, body: { query } });
    return body as { data?: { update_page_item: unknown }; errors?: unknown[] };
  };

  it('a plain list takes new items, keys, and items with changes, of every collection, in order', async () => {
    const list = [
      { kind: 'note', item: { heading: 'New' } },
      { kind: 'tag', item: '4' },
      { kind: 'quote', item: { id: uuid(2), heading: 'Changed' } },
      { kind: 'tag', item: { code: 'blue', heading: 'Blue' } },
      3,
    ];
    expect((await send('PATCH', 'page/3', { blocks: list })).status).toBe(200);
    expect(await blocks(3)).toEqual([
      ['note', 1, 'New'],
      ['tag', 2, 'Four'],
      ['quote', 3, 'Changed'],
      ['tag', 4, 'Blue'],
      ['tag', 5, 'Red'],
    ]);
    expect(await counts()).toEqual([4, 2, 3, 15]);
  });

  it('changes create, change and remove rows and their items', async () => {
    const changes = {
      create: [{ kind: 'note', item: { heading: 'Later', author: { name: 'Cleo' } } }],
      update: [{ id: 1, kind: 'note', item: { id: 1, heading: 'Renamed' } }],
      delete: [2],
    };
    expect((await send('PATCH', 'page/1', { blocks: changes })).status).toBe(200);
    expect(await blocks(1)).toEqual([
      ['note', 1, 'Renamed'],
      ['tag', 3, 'Red'],
      ['note', 4, 'Second'],
      ['note', 5, 'Later'],
    ]);
  });

  it('an item is created with its page, with relations and lists below it', async () => {
    const note = { heading: 'Deep', author: { name: 'Dora' }, remarks: [{ text: 'one' }, { text: 'two' }] };
    const { data } = await send(
      'POST',
      'page?fields=blocks.item:note.author.name,blocks.item:note.remarks.text',
      { title: 'New', blocks: [{ kind: 'note', item: note }] },
    );
    const item = { author: { name: 'Dora' }, remarks: [{ text: 'one' }, { text: 'two' }] };
    expect(data).toEqual({ blocks: [{ item }] });
  });

  it('accepts keys in every spelling, objects and null; the key is stored as text', async () => {
    expect(await patch({ kind: 'note', item: 2 })).toEqual({ kind: 'note', item: '2' });
    expect(await patch({ kind: 'note', item: '1' })).toEqual({ kind: 'note', item: '1' });
    expect(await patch({ kind: 'quote', item: uuid(1) })).toEqual({ kind: 'quote', item: uuid(1) });
    expect(await patch({ kind: 'tag', item: { code: 'new', weight: 1 } })).toEqual({
      kind: 'tag',
      item: 'new',
    });
    expect(await patch({ 'item:tag': { code: 'red', weight: 9 } })).toEqual({ kind: 'tag', item: 'red' });
    expect(await patch({ 'item:note': 2 })).toEqual({ kind: 'note', item: '2' });
    expect(await patch({ item: null })).toEqual({ kind: 'note', item: null });
  });

  it.each<[string, unknown]>([
    ['without a collection', { item: { heading: 'x' } }],
    ['a key without a collection', { item: 1 }],
    ['a collection that is not allowed', { kind: 'author', item: 1 }],
    ['an object of a collection that is not allowed', { kind: 'author', item: { name: 'x' } }],
    ['a name in two ways', { kind: 'note', 'item:note': 1 }],
    ['a list in place of an item', { kind: 'note', item: [1] }],
  ])('refuses %s and changes nothing', async (_, row) => {
    const before = await counts();
    expect((await send('PATCH', 'page/3', { blocks: [row] })).status).toBe(400);
    expect((await send('POST', 'block', row)).status).toBe(400);
    expect(await counts()).toEqual(before);
  });

  it('a collection is changed together with the item', async () => {
    expect(await codes(send('PATCH', 'block/1', { kind: 'tag' }))).toEqual([400, 'INVALID_PAYLOAD']);
    expect(await codes(send('PATCH', 'block/1', { kind: 'tag', item: null }))).toEqual([200, undefined]);
  });

  it('a missing item, also for administrators, is a broken reference', async () => {
    const refused = [400, 'INVALID_FOREIGN_KEY'];
    expect(await codes(send('PATCH', 'block/1', { kind: 'note', item: 999 }))).toEqual(refused);
    expect(await codes(send('POST', 'block', { kind: 'tag', item: 'none' }))).toEqual(refused);
    expect(await codes(send('PATCH', 'page/3', { blocks: [{ kind: 'quote', item: uuid(9) }] }))).toEqual(
      refused,
    );
    expect(await codes(send('PATCH', 'block/1', { kind: 'note', item: 'one' }))).toEqual([
      400,
      'FAILED_VALIDATION',
    ]);
  });

  it('a key is stored as the item spells it: another spelling is a missing item, or the same one', async () => {
    const { status } = await send('PATCH', 'block/1', { kind: 'tag', item: 'RED' });
    expect(status).toBe(400);
    // an object finds its row by the rules of the database, and the row refers to the stored key
    await send('PATCH', 'block/1', { kind: 'quote', item: { id: uuid(1).toUpperCase(), source: 'Eve' } });
    const { data } = await server().request('GET', '/items/block/1?fields=kind,item:quote.heading', {
      as: 'admin',
    });
    expect(data).toEqual({ kind: 'quote', item: { heading: 'Quoted' } });
  });

  it('faults of an item have the path of the relation, and nothing is written', async () => {
    const before = await counts();
    const { status, body } = await send('PATCH', 'page/3', {
      blocks: [
        { kind: 'note', item: { body: 'no heading' } },
        { kind: 'tag', item: { weight: 'heavy' } },
      ],
    });
    expect(status).toBe(400);
    const { errors } = body as { errors: { extensions: { field: string; path: string[] } }[] };
    expect(errors.map(({ extensions: { field, path } }) => [field, path])).toEqual([
      ['heading', ['blocks', 'item']],
      ['weight', ['blocks', 'item']],
      ['code', ['blocks', 'item']],
    ]);
    expect(await counts()).toEqual(before);
  });

  it('relating requires read permission: a hidden item gets the response of a missing one', async () => {
    const relate = (item: unknown) => send('PATCH', 'block/3', { kind: 'note', item }, 'writer');
    const hidden = await relate(2);
    const missing = await relate(999);
    expect([hidden.status, hidden.text.replaceAll('"2"', '"999"')]).toEqual([missing.status, missing.text]);
    expect(hidden.status).toBe(400);
    expect((await relate(1)).status).toBe(200);
    // the stored item may be sent again
    expect((await send('PATCH', 'block/4', { kind: 'note', item: 2, sort: 8 }, 'writer')).status).toBe(200);
    expect((await send('PATCH', 'block/3', { kind: 'quote', item: uuid(1) }, 'writer')).status).toBe(400);
  });

  it('each item is written under the rights on its own collection', async () => {
    expect((await write({ kind: 'note', item: { heading: 'Mine' } })).status).toBe(200);
    expect((await write({ kind: 'tag', item: { code: 'red', weight: 6 } })).status).toBe(200);
    expect((await write({ kind: 'note', item: { heading: 'Mine', body: 'x' } })).status).toBe(403);
    expect((await write({ kind: 'note', item: { id: 1, heading: 'Changed' } })).status).toBe(403);
    expect((await write({ kind: 'quote', item: { id: uuid(5), heading: 'x' } })).status).toBe(403);
  });

  it('GraphQL has a typed input for every collection', async () => {
    const { data } = await mutate(
      '{ item__note: { heading: "Typed" } }, { item__tag: { code: "red", weight: 8 } }, { kind: "note", item: 1 }',
    );
    expect(data?.update_page_item).toEqual({
      blocks: [
        { kind: 'note', item: { heading: 'Typed' } },
        { kind: 'tag', item: { weight: 8 } },
        { kind: 'note', item: { heading: 'First' } },
      ],
    });
    expect((await mutate('{ item__note: { weight: 1 } }')).errors).toHaveLength(1);
    expect((await mutate('{ item__quote: { heading: "x" } }', 'writer')).errors).toHaveLength(1);
    expect((await mutate('{ item__note: { heading: "Mine" } }', 'writer')).errors).toBeUndefined();
  });

  it('GraphQL creates and changes rows with an item of a client-made uuid, as REST', async () => {
    const made = { kind: 'quote', item: { source: 'New' } };
    expect(
      await writeBlock(`create_block_item(data: { item__quote: { id: "${uuid(6)}", source: "New" } })`),
    ).toEqual({
      data: { done: made },
    });
    expect(await writeBlockByRest('POST', 'block', { 'item:quote': { id: uuid(7), source: 'New' } })).toEqual(
      made,
    );
    const changed = { kind: 'quote', item: { source: 'Changed' } };
    expect(
      await writeBlock(
        `update_block_item(id: 1, data: { item__quote: { id: "${uuid(6)}", source: "Changed" } })`,
      ),
    ).toEqual({ data: { done: changed } });
    expect(
      await writeBlockByRest('PATCH', 'block/1', { 'item:quote': { id: uuid(7), source: 'Changed' } }),
    ).toEqual(changed);
  });
});
