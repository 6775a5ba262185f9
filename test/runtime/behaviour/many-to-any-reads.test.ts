/** Reads of many-to-any relations: fields, filters, sorts, and what a caller may see of each target. */
import { describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import { access, meta, sqlOf, uuid } from './many-to-any.js';

const dialects = dialectsOf(import.meta.url);

describe.each(dialects)('reads of many-to-any relations on %s', (dialect) => {
  const server = useServer({ dialect, sql: sqlOf(dialect), meta, access });
  const get = async (path: string, as = 'admin') => server().request('GET', `/items/${path}`, { as });
  const items = async (query: string, as = 'admin'): Promise<unknown> => {
    const { data, text } = await get(`block?sort=id&fields=${query}`, as);
    return (data as { readonly item: unknown }[] | undefined)?.map(({ item }) => item) ?? text;
  };
  const ids = async (filter: unknown, rest = '', as = 'admin'): Promise<unknown> => {
    const query = filter === null ? '' : `&filter=${encodeURIComponent(JSON.stringify(filter))}`;
    const { data, status } = await get(`block?fields=id${query}${rest === '' ? '&sort=id' : rest}`, as);
    return (data as { readonly id: unknown }[] | undefined)?.map(({ id }) => id) ?? status;
  };

  const pages = async (blocks: unknown): Promise<unknown> => {
    const filter = encodeURIComponent(JSON.stringify({ blocks }));
    return (await get(`page?sort=id&fields=id&filter=${filter}`)).data;
  };

  it('fields of one target return objects, and keys in their own types for other targets', async () => {
    const wanted = [{ heading: 'First' }, uuid(1), 'red', { heading: 'Second' }, '4'];
    const nothing = Array.from({ length: 6 }).fill(null);
    expect(await items('item:note.heading')).toEqual([...wanted, ...nothing]);
    expect(await items('item:tag.weight&limit=5')).toEqual([1, uuid(1), { weight: 5 }, 2, { weight: 7 }]);
  });

  it('fields without a target are read from every target, and every target must have them', async () => {
    expect(await items('item.heading&limit=3')).toEqual([
      { heading: 'First' },
      { heading: 'Quoted' },
      { heading: 'Red' },
    ]);
    expect((await get('block?fields=item.weight')).status).toBe(403);
    expect(await items('item.heading,item:tag.weight&limit=3')).toEqual([
      { heading: 'First' },
      { heading: 'Quoted' },
      { heading: 'Red', weight: 5 },
    ]);
  });

  it('a target alone or with a wildcard returns whole items; the relation alone returns the stored key', async () => {
    const red = { code: 'red', heading: 'Red', weight: 5 };
    expect(await items('item:tag&limit=3')).toEqual([1, uuid(1), red]);
    expect(await items('item:tag.*&limit=3')).toEqual([1, uuid(1), red]);
    expect(await items('item&limit=3')).toEqual(['1', uuid(1), 'red']);
    expect(await items('item:author.name&limit=3')).toEqual([1, uuid(1), 'red']);
  });

  it('the collection of the item is needed in deep, sorts and groups', async () => {
    for (const [parameter, query] of [
      ['deep', 'deep[item][_filter]='],
      ['sort', 'sort=item.heading'],
      ['groupBy', 'groupBy=item.heading'],
    ])
      expect((await get(`block?${query}`)).errors).toMatchObject([
        { code: 'INVALID_QUERY', reason: `"${parameter}" takes "item" with a collection, as in "item:note"` },
      ]);
  });

  it('fields of a target can be relations and lists', async () => {
    const fields = 'item:note.author.name,item:note.remarks.text';
    expect(await items(`${fields}&limit=2`)).toEqual([
      { author: { name: 'Ada' }, remarks: [{ text: 'well' }, { text: 'said' }] },
      uuid(1),
    ]);
    const { data } = await get(
      `page/1?fields=blocks.item:note.remarks.text&deep=${encodeURIComponent('{"blocks":{"_limit":1,"item:note":{"remarks":{"_limit":1,"_sort":"-text"}}}}')}`,
    );
    expect(data).toEqual({ blocks: [{ item: { remarks: [{ text: 'well' }] } }] });
  });

  it('deep filters a target', async () => {
    const deep = encodeURIComponent('{"item:note":{"_filter":{"heading":{"_eq":"First"}}}}');
    expect(await items(`item:note.heading&limit=4&deep=${deep}`)).toEqual([
      { heading: 'First' },
      uuid(1),
      'red',
      null,
    ]);
  });

  it('parameters of pages and order have no effect on the one item of each row', async () => {
    const all = await items('item:note.heading');
    for (const parameter of ['_offset]=1', '_page]=2', '_limit]=1', '_sort]=-heading'])
      expect(await items(`item:note.heading&deep[item:note][${parameter}`)).toEqual(all);
  });

  it('an alias renames the item', async () => {
    const { data } = await get('block/3?fields=what.heading&alias[what]=item');
    expect(data).toEqual({ what: { heading: 'Red' } });
  });

  it('filters through a target meet its rows only, whatever the operator', async () => {
    expect(await ids({ 'item:note': { heading: { _eq: 'Second' } } })).toEqual([4]);
    expect(await ids({ 'item:quote': { source: { _eq: 'Ada' } } })).toEqual([2]);
    expect(await ids({ 'item:tag': { weight: { _gt: 4 } } })).toEqual([3, 5]);
    expect(await ids({ 'item:tag': { code: { _eq: '4' } } })).toEqual([5]);
    expect(await ids({ 'item:note': { author: { name: { _eq: 'Ada' } } } })).toEqual([1]);
    expect(await ids({ 'item:note': { remarks: { text: { _eq: 'said' } } } })).toEqual([1]);
    expect(await ids({ 'item:note': { heading: { _neq: 'First' } } })).toEqual([4]);
    // a missing item has no values
    expect(await ids({ 'item:note': { body: { _null: true } } })).toEqual([6, 7, 11]);
  });

  it('a filter without a target meets items of every target, and a comparison the stored key', async () => {
    expect(await ids({ item: { heading: { _in: ['First', 'Quoted', 'Four'] } } })).toEqual([1, 2, 5]);
    expect(await ids({ item: { _eq: '4' } })).toEqual([5]);
    expect(await ids({ item: { weight: { _eq: 5 } } })).toBe(403);
    expect(await ids({ 'item:author': { name: { _eq: 'Ada' } } })).toBe(403);
  });

  it('filters lists through a target, with and without quantifiers', async () => {
    expect(await pages({ 'item:tag': { weight: { _eq: 7 } } })).toEqual([{ id: 2 }]);
    expect(await pages({ _some: { 'item:note': { heading: { _starts_with: 'F' } } } })).toEqual([{ id: 1 }]);
    expect(await pages({ _none: { 'item:note': { heading: { _starts_with: 'F' } } } })).toEqual([
      { id: 2 },
      { id: 3 },
    ]);
  });

  it('sorts through a target', async () => {
    expect(await ids(null, '&sort=-item:tag.weight,id&limit=3')).toEqual([5, 3, 1]);
    expect(await ids(null, '&sort=-item:note.author.name,id&limit=2')).toEqual([4, 1]);
    expect(await ids(null, '&sort=item.heading')).toBe(400);
  });

  it('each target is read under its own grant: hidden rows and collections are null', async () => {
    expect(await items('item:note.heading&limit=5', 'reader')).toEqual([
      { heading: 'First' },
      null,
      'red',
      null,
      '4',
    ]);
    expect((await get('block?fields=item:note.body', 'reader')).status).toBe(403);
    expect((await get('block?fields=item:note.body', 'admin')).status).toBe(200);
    expect(await items('item:note.author.name&limit=1', 'reader')).toEqual([{ author: { name: 'Ada' } }]);
    expect(await items('item:note.heading&limit=3', 'pages')).toEqual([null, null, null]);
  });

  it('what a caller may not read influences neither filters nor sorts', async () => {
    expect(await ids({ 'item:note': { heading: { _eq: 'Second' } } }, '', 'reader')).toEqual([]);
    expect(await ids({ 'item:note': { body: { _eq: 'secret' } } }, '', 'reader')).toBe(403);
    expect(await ids({ 'item:quote': { source: { _eq: 'Ada' } } }, '', 'reader')).toBe(403);
    expect(await ids({ item: { heading: { _in: ['Second', 'Quoted'] } } }, '', 'reader')).toEqual([]);
    expect(await ids(null, '&sort=item:quote.source', 'reader')).toBe(403);
    expect(await ids(null, '&sort=-item:note.heading,-id&limit=1', 'reader')).toEqual([1]);
  });

  it('without the column that names the collection, nothing leads to an item', async () => {
    expect((await get('block?fields=item:note.heading', 'kindless')).status).toBe(403);
    expect(await ids({ 'item:note': { heading: { _eq: 'First' } } }, '', 'kindless')).toBe(403);
    expect(await items('item&limit=1', 'kindless')).toEqual(['1']);
  });

  it('a rule may lead through a target', async () => {
    expect(await ids(null, '', 'light')).toEqual([3]);
    expect((await get('block/5', 'light')).status).toBe(403);
  });

  it('counts through a target', async () => {
    const filter = encodeURIComponent('{"item:note":{"heading":{"_nnull":true}}}');
    const { body } = await get(`block?fields=id&meta=filter_count&filter=${filter}`);
    expect((body as { readonly meta: unknown }).meta).toEqual({ filter_count: 2 });
  });
});
