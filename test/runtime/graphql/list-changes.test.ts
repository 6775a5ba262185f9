/** Lists that are written by their changes: `create`, `update` and `delete` beside the whole list, to any depth. */
import { beforeEach, describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { access, meta, restore, sqlOf } from '../behaviour/many-to-any.js';
import { useServer } from '../harness/use-server.js';

const dialects = dialectsOf(import.meta.url);

describe.each(dialects)('changes of lists in GraphQL on %s', (dialect) => {
  const server = useServer({ dialect, sql: sqlOf(dialect), meta, access });
  beforeEach(() => server().execute(restore(dialect)));

  const post = async (query: string, as = 'admin', variables = {}) => {
    const { body } = await server().request('POST', '/graphql', { as, body: { query, variables } });
    return body as { data?: Record<string, unknown>; errors?: { message: string; extensions: object }[] };
  };
  const heading =
    'blocks { item { ... on note { n: heading } ... on quote { q: heading } ... on tag { t: heading } } }';
  const change = (data: string, as?: string) =>
    post(`mutation { update_page_item(id: 1, data: { ${data} }) { ${heading} } }`, as);
  const headings = (body: Awaited<ReturnType<typeof post>>): unknown => {
    const { update_page_item: page } = body.data as { update_page_item: { blocks: { item: object }[] } };
    return page.blocks.flatMap(({ item }) => Object.values(item));
  };

  const fieldsOf = async (as: string, name: string) => {
    const { data } = await post(`{ __type(name: "${name}") { inputFields { name } } }`, as);
    const type = data?.['__type'] as { inputFields: { name: string }[] } | null;
    return type?.inputFields.map((field) => field.name) ?? null;
  };

  it('creates, changes and removes items, and keeps the others', async () => {
    const body = await change(`blocks_changes: {
      create: [{ item__note: { heading: "New" } }, { kind: "tag", item: "4" }]
      update: [{ id: 1, item__note: { id: 1, heading: "Changed" } }]
      delete: [2, 3]
    }`);
    expect(headings(body)).toEqual(['Changed', 'Second', 'New', 'Four']);
  });

  it('changes lists of items that are changed or created', async () => {
    const body = await change(`blocks_changes: {
      create: [{ item__note: { heading: "New", remarks_changes: { create: [{ text: "new" }] } } }]
      update: [{ id: 1, item__note: { id: 1, remarks_changes: {
        create: [{ text: "more" }], update: [{ id: 1, text: "badly" }], delete: [2]
      } } }]
    }`);
    expect(body.errors).toBeUndefined();
    const path = '/items/remark?filter[note][_nnull]=true&fields=text,note.heading&sort=text';
    const { data } = await server().request('GET', path, { as: 'admin' });
    expect(data).toEqual([
      { text: 'badly', note: { heading: 'First' } },
      { text: 'more', note: { heading: 'First' } },
      { text: 'new', note: { heading: 'New' } },
    ]);
  });

  it('takes changes in variables, also of new items', async () => {
    const query = `mutation ($data: create_page_input!) { create_page_item(data: $data) { title ${heading} } }`;
    const data = {
      title: 'Four',
      blocks_changes: { create: [{ item__tag: { code: 'new', heading: 'N' } }] },
    };
    expect(await post(query, 'admin', { data })).toEqual({
      data: { create_page_item: { title: 'Four', blocks: [{ item: { t: 'N' } }] } },
    });
  });

  it('refuses a list in both forms as an error of the field, and stores nothing', async () => {
    const { data: written, errors } = await change('blocks: [], blocks_changes: { delete: [1] }');
    expect(written).toEqual({ update_page_item: null });
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining('"blocks" and "blocks_changes" write the same list') as string,
        path: ['update_page_item'],
        extensions: { code: 'INVALID_PAYLOAD', pointer: '/blocks_changes' },
      },
    ]);
    const { data } = await server().request('GET', '/items/page/1?fields=blocks', { as: 'admin' });
    expect(data).toEqual({ blocks: [1, 2, 3, 4] });
    const lists = 'remarks: [], remarks_changes: {}, heading: "N"';
    expect((await change(`blocks: [{ item__note: { ${lists} } }]`)).errors).toBeUndefined();
    const twice = lists.replace('{}', '{ delete: [1] }');
    expect((await change(`blocks_changes: { create: [{ item__note: { ${twice} } }] }`)).errors).toMatchObject(
      [{ extensions: { pointer: '/blocks_changes/create/0/item__note/remarks_changes' } }],
    );
  });

  it.each([
    ['null', null],
    ['without members', {}],
    ['whose members are null', { create: null, update: null, delete: null }],
  ])('changes that are %s leave the list as it is', async (_, changes) => {
    const all = ['First', 'Quoted', 'Red', 'Second'];
    expect(headings(await change(`blocks_changes: ${JSON.stringify(changes).replaceAll('"', '')}`))).toEqual(
      all,
    );
    const query = `mutation ($data: update_page_input) { update_page_item(id: 1, data: $data) { ${heading} } }`;
    const write = (data: object) => post(query, 'admin', { data });
    expect(headings(await write({ title: 'One', blocks_changes: changes }))).toEqual(all);
    expect(headings(await write({ blocks: [{ id: 3 }], blocks_changes: changes }))).toEqual(['Red']);
    const inVariable = `mutation ($changes: changed_block_input) {
      update_page_item(id: 1, data: { blocks_changes: $changes }) { ${heading} } }`;
    expect(headings(await post(inVariable, 'admin', { changes }))).toEqual(['Red']);
  });

  it('beside null members, the others are done', async () => {
    const body = await change('blocks_changes: { create: null, update: null, delete: [2, 3] }');
    expect(headings(body)).toEqual(['First', 'Second']);
  });

  it('errors name the places and fields that the caller wrote', async () => {
    const placesOf = async (data: string) =>
      (await change(data)).errors?.map(({ extensions }) => (extensions as { pointer?: unknown }).pointer);
    const long = `"${'x'.repeat(50)}"`;
    expect(await placesOf(`blocks_changes: { create: [{ item__note: { heading: ${long} } }] }`)).toEqual([
      '/blocks_changes/create/0/item__note/heading',
    ]);
    expect(await placesOf('blocks: [{ id: 1 }, { kind: "no", item: "1" }]')).toEqual(['/blocks/1']);
    const both = 'item__note: { heading: "n" }, item__tag: { code: "t" }';
    expect((await change(`blocks: [{ ${both} }]`)).errors).toMatchObject([
      {
        message: expect.stringMatching(
          /"item__note" and "item__tag" are two items of one relation/,
        ) as string,
      },
    ]);
    const one = 'item__note: { heading: "n" }, kind: "note"';
    expect((await change(`blocks: [{ ${one} }]`)).errors).toMatchObject([
      { message: expect.stringContaining('"item__note" stands for "kind" and "item"') as string },
    ]);
  });

  it('errors of writes of many items name places in the arguments', async () => {
    const many =
      'mutation ($ids: [ID!]!, $data: update_page_input) { update_page_items(ids: $ids, data: $data) { id } }';
    const pointers = async (variables: object) =>
      (await post(many, 'admin', variables)).errors?.map(({ extensions }) => extensions);
    expect(await pointers({ ids: [1, 99], data: { title: 'T' } })).toMatchObject([{ pointer: '/ids/1' }]);
    const data = { blocks_changes: { create: [{ kind: 'no', item: '1' }] } };
    expect(await pointers({ ids: [1], data })).toMatchObject([{ pointer: '/data/blocks_changes/create/0' }]);
    expect((await post('mutation { delete_page_items(ids: [1, 99]) { ids } }')).errors).toMatchObject([
      { extensions: { pointer: '/ids/1' } },
    ]);
    const create = `{ id: 1, blocks_changes: { create: [{ kind: "no", item: "1" }] } }`;
    expect((await post(`mutation { update_page_batch(data: [${create}]) { id } }`)).errors).toMatchObject([
      { extensions: { pointer: '/0/blocks_changes/create/0' } },
    ]);
    const second = `mutation { update_page_batch(data: [{ id: 2 }, ${create}]) { id } }`;
    expect((await post(second)).errors).toMatchObject([
      { extensions: { pointer: '/1/blocks_changes/create/0' } },
    ]);
    const all = 'mutation { update_page_items(filter: {}, data: { title: "T" }) { id } }';
    expect((await post(all)).errors).toMatchObject([
      {
        message: expect.stringContaining(
          'needs a "filter" with at least one condition, or a "limit"',
        ) as string,
      },
    ]);
  });

  it('shows a caller the changes that it may make', async () => {
    expect(await fieldsOf('writer', 'changed_block_input')).toEqual(['create', 'update', 'delete']);
    expect(await fieldsOf('reader', 'changed_block_input')).toBeNull();
    expect(await fieldsOf('writer', 'changed_remark_input')).toBeNull();
    const refused = await change('blocks_changes: { create: [{ item__note: { body: "x" } }] }', 'writer');
    expect(refused.errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION' } }]);
  });

  describe('for a caller that can change some fields only', () => {
    it('name items by their keys, in a batch too', async () => {
      const place =
        'mutation { update_page_item(id: 1, data: { blocks_changes: { update: [{ id: 1, sort: 9 }] } }) { id } }';
      expect(await post(place, 'sorter')).toEqual({ data: { update_page_item: { id: '1' } } });
      const batch = 'mutation { update_page_batch(data: [{ id: 1, title: "Named" }]) { title } }';
      expect(await post(batch, 'sorter')).toEqual({ data: { update_page_batch: [{ title: 'Named' }] } });
      expect(await fieldsOf('sorter', 'update_block_input')).toEqual(['id', 'sort']);
    });

    it('the whole list takes new items with all fields that may be created', async () => {
      const rows = [1, 2, 3, 4].map((id) => `{ id: ${id} }`).join(' ');
      const list = `[${rows} { kind: "tag", item: "4" }]`;
      const body = await post(
        `mutation { update_page_item(id: 1, data: { blocks: ${list} }) { blocks { kind } } }`,
        'sorter',
      );
      expect(body).toMatchObject({ data: { update_page_item: { blocks: { length: 5 } } } });
    });

    it('shows no list to callers that can neither create nor change its items', async () => {
      expect(await fieldsOf('writer', 'update_page_input')).toContain('blocks');
      expect(await fieldsOf('writer', 'related_note_input')).not.toContain('remarks');
    });
  });
});
