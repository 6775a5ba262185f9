/** Many-to-any relations in GraphQL: unions, fragments, filters and sorts, restricted per caller. */
import { describe, expect, it } from 'vitest';
import { sampleDialects } from '../../databases.js';
import { access, meta, sqlOf, uuid } from '../behaviour/many-to-any.js';
import { useServer } from '../harness/use-server.js';

describe.each(sampleDialects(import.meta.url))('many-to-any relations in GraphQL on %s', (dialect) => {
  const server = useServer({ dialect, sql: sqlOf(dialect), meta, access });
  const ask = async (query: string, as = 'admin') => {
    const { body, status } = await server().request('POST', '/graphql', { as, body: { query } });
    return { ...(body as { data?: Record<string, unknown>; errors?: unknown }), status };
  };
  const items = async (selection: string, rest = 'limit: 3', as = 'admin'): Promise<unknown> => {
    const { data, errors } = await ask(`{ block(sort: ["id"], ${rest}) { item { ${selection} } } }`, as);
    return (data?.block as { item: unknown }[] | undefined)?.map(({ item }) => item) ?? errors;
  };

  const itemsByRest = async (deep: object, as = 'admin') => {
    const query = `fields=item:note.heading,item:tag.weight&sort=id&limit=4&deep=${encodeURIComponent(JSON.stringify(deep))}`;
    const { data } = await server().request('GET', `/items/block?${query}`, { as });
    return (data as { item: unknown }[]).map(({ item }) => (typeof item === 'string' ? {} : item));
  };
  const filteredItems = async (filter: string, as = 'admin') => {
    const selection = '... on note { heading } ... on tag { weight }';
    const { data, errors } = await ask(
      `{ block(sort: ["id"], limit: 4) { item(filter: ${filter}) { ${selection} } } }`,
      as,
    );
    return (data?.block as { item: unknown }[] | undefined)?.map(({ item }) => item) ?? errors;
  };
  const statusOf = async (filter: string) =>
    (await ask(`{ block { item(filter: ${filter}) { ... on tag { weight } } } }`, 'reader')).status;

  it('fragments select from their types; an item of another type is empty', async () => {
    expect(await items('... on note { heading }')).toEqual([{ heading: 'First' }, {}, {}]);
    expect(
      await items('__typename ... on note { id } ... on quote { id source } ... on tag { code }'),
    ).toEqual([
      { __typename: 'note', id: '1' },
      { __typename: 'quote', id: uuid(1), source: 'Ada' },
      { __typename: 'tag', code: 'red' },
    ]);
  });

  it('fragments in fragments, on the union and on its types', async () => {
    const nested = '... on block_item_union { ... on note { author { name } } ... on tag { weight } }';
    expect(await items(nested)).toEqual([{ author: { name: 'Ada' } }, {}, { weight: 5 }]);
    expect(await items(`... on note { ${nested} } ... on tag { ${nested} }`)).toEqual([
      { author: { name: 'Ada' } },
      {},
      { weight: 5 },
    ]);
  });

  it('one alias for fields of several types, and lists below a type with arguments', async () => {
    const aliased = '... on quote { a: heading } ... on tag { a: heading }';
    expect(await items(aliased)).toEqual([{}, { a: 'Quoted' }, { a: 'Red' }]);
    expect(await items('... on note { remarks(sort: ["-text"], limit: 1) { text } }', 'limit: 1')).toEqual([
      { remarks: [{ text: 'well' }] },
    ]);
  });

  it('a filter of a target leaves its items out that do not match, as in REST', async () => {
    const heading = { heading: { _eq: 'Second' } };
    const second = await filteredItems('{ item__note: { heading: { _eq: "Second" } } }');
    expect(second).toEqual([null, {}, { weight: 5 }, { heading: 'Second' }]);
    expect(second).toEqual(await itemsByRest({ 'item:note': { _filter: heading } }));
    const both = await filteredItems(
      '{ item__note: { author: { name: { _eq: "Ada" } } }, item__tag: { weight: { _gt: 5 } } }',
    );
    expect(both).toEqual([{ heading: 'First' }, {}, null, null]);
    expect(both).toEqual(
      await itemsByRest({
        'item:note': { _filter: { author: { name: { _eq: 'Ada' } } } },
        'item:tag': { _filter: { weight: { _gt: 5 } } },
      }),
    );
    expect(await filteredItems('null')).toEqual([
      { heading: 'First' },
      {},
      { weight: 5 },
      { heading: 'Second' },
    ]);
    expect(await filteredItems('{ item__tag: { weight: { _gt: 5 } } }', 'reader')).toEqual([
      { heading: 'First' },
      null,
      null,
      null,
    ]);
  });

  it('a filter has the targets and fields that the caller may read', async () => {
    expect(await statusOf('{ item__note: { heading: { _eq: "First" } } }')).toBe(200);
    expect(await statusOf('{ item__note: { body: { _eq: "secret" } } }')).toBe(400);
    expect(await statusOf('{ item__quote: { source: { _eq: "Ada" } } }')).toBe(400);
  });

  it('lists below a type take every argument of a list, with variables too', async () => {
    const query = `query ($text: String, $offset: Int) {
      block(sort: ["id"], limit: 1) { item(filter: { item__note: { heading: { _eq: "First" } } }) { ... on note {
        one: remarks(filter: { text: { _eq: $text } }) { text }
        two: remarks(sort: ["text"], offset: $offset, limit: 1) { text }
        three: remarks(search: "wel", page: 1) { text }
        remarks_aggregated { countAll }
      } } }
    }`;
    const variables = { text: 'said', offset: 1 };
    const { body } = await server().request('POST', '/graphql', { as: 'admin', body: { query, variables } });
    expect(body).toEqual({
      data: {
        block: [
          {
            item: {
              one: [{ text: 'said' }],
              two: [{ text: 'well' }],
              three: [{ text: 'well' }],
              remarks_aggregated: [{ countAll: 2 }],
            },
          },
        ],
      },
    });
  });

  it('the same union twice under aliases, and through a list', async () => {
    const { data } = await ask(
      '{ page_by_id(id: 1) { blocks(limit: 2) { one: item { ... on note { heading } } other: item { ... on quote { source } } } } }',
    );
    expect(data).toEqual({
      page_by_id: {
        blocks: [
          { one: { heading: 'First' }, other: {} },
          { one: {}, other: { source: 'Ada' } },
        ],
      },
    });
  });

  it('a missing item is null', async () => {
    expect(await items('... on note { heading }', 'filter: { id: { _gte: 5 } }')).toEqual([
      {},
      ...Array.from({ length: 6 }).fill(null),
    ]);
  });

  it('filters and sorts through a target, as in REST', async () => {
    const ids = async (rest: string): Promise<unknown> =>
      (await ask(`{ block(${rest}) { id } }`)).data?.block;
    expect(await ids('filter: { item__note: { heading: { _eq: "Second" } } }')).toEqual([{ id: '4' }]);
    expect(await ids('filter: { item__tag: { weight: { _gt: 5 } } }')).toEqual([{ id: '5' }]);
    expect(await ids('filter: { item: { _eq: "4" } }')).toEqual([{ id: '5' }]);
    for (const name of ['item:tag', 'item__tag'])
      expect(await ids(`sort: ["-${name}.weight", "id"], limit: 2`)).toEqual([{ id: '5' }, { id: '3' }]);
    const lists = await ask(
      '{ page(sort: ["id"], limit: 1) { blocks(sort: ["-item__tag.weight", "id"]) { id } } }',
    );
    expect(lists.data).toEqual({ page: [{ blocks: ['3', '1', '2', '4'].map((id) => ({ id })) }] });
    const { data } = await ask(
      '{ page(filter: { blocks: { _some: { item__quote: { source: { _eq: "Ada" } } } } }) { id } }',
    );
    expect(data).toEqual({ page: [{ id: '1' }] });
  });

  it('fields that a type does not have, and fields without a fragment, are invalid', async () => {
    for (const selection of ['heading', '... on note { weight }', '... on author { name }'])
      expect((await ask(`{ block { item { ${selection} } } }`)).status).toBe(400);
    expect((await ask('{ block { item } }')).status).toBe(400);
  });

  it('the union has the types that the caller may read; hidden rows are null', async () => {
    expect(await items('... on note { heading } ... on tag { weight }', 'limit: 4', 'reader')).toEqual([
      { heading: 'First' },
      null,
      { weight: 5 },
      null,
    ]);
    expect((await ask('{ block { item { ... on quote { source } } } }', 'reader')).status).toBe(400);
    expect((await ask('{ block { item { ... on note { body } } } }', 'reader')).status).toBe(400);
    expect(
      (await ask('{ block(filter: { item__quote: { source: { _eq: "x" } } }) { id } }', 'reader')).status,
    ).toBe(400);
    expect(
      (await ask('{ block(filter: { item__tag: { weight: { _eq: 5 } } }) { id } }', 'reader')).data,
    ).toEqual({
      block: [{ id: '3' }],
    });
  });

  it('without a readable target, the relation is the stored key', async () => {
    const { data } = await ask('{ block(sort: ["id"], limit: 2) { item } }', 'pages');
    expect(data).toEqual({ block: [{ item: '1' }, { item: uuid(1) }] });
  });
});
