/** Creates of items that may be stored already, in GraphQL: with what REST takes, and the same outcomes. */
import { describe, expect, it } from 'vitest';
import { useShop } from '../behaviour/upsert-shop.js';
import { settingsOf } from '../server-harness.js';
import { ask } from './library.js';

const settings = settingsOf(import.meta.url);

describe.each(settings)('upserts in GraphQL on $dialect through $listener', (setting) => {
  const { server, post, stored } = useShop(setting);

  const upsert = async (rest: string, selection: string, as = 'admin') => {
    const { body, codes, errors } = await ask(
      server(),
      `mutation { upsert_item_items(${rest}) { ${selection} } }`,
      { as },
    );
    if (codes.length > 0) return { codes, errors };
    const { data, extensions } = body as {
      readonly data: { readonly upsert_item_items: unknown };
      readonly extensions: { readonly meta: Readonly<Record<string, unknown>> };
    };
    return { data: data.upsert_item_items, meta: extensions.meta.upsert_item_items };
  };

  const change = (data: string) => upsert(`data: ${data}, conflict: ["sku"]`, 'title', 'clerk');

  it('change items that are stored, though they lack required fields, and create the others', async () => {
    const rows = [
      { sku: 'b', title: 'changed' },
      { sku: 'd', title: 'new', price: 40 },
    ];
    const text = '[{ sku: "b", title: "changed" }, { sku: "d", title: "new", price: 40 }]';
    const graphql = await upsert(`data: ${text}, conflict: ["sku"]`, 'sku title price');
    expect(graphql).toEqual({
      data: [
        { sku: 'b', title: 'changed', price: 20 },
        { sku: 'd', title: 'new', price: 40 },
      ],
      meta: { outcomes: ['updated', 'created'] },
    });
    const rest = await post('on_conflict=update&conflict=sku&fields=sku,title,price', rows);
    expect(rest).toMatchObject({ data: graphql.data, outcomes: ['updated', 'updated'] });
  });

  it('find items by their key, and take one in place of a list', async () => {
    expect(await upsert('data: { id: 1, title: "by key" }', 'id title price')).toEqual({
      data: [{ id: '1', title: 'by key', price: 10 }],
      meta: { outcomes: ['updated'] },
    });
  });

  it('refuse a new item without its required fields as REST does, and store nothing', async () => {
    const before = await stored();
    const graphql = await upsert('data: [{ sku: "a", title: "x" }, { sku: "n" }], conflict: ["sku"]', 'id');
    const rest = await post('on_conflict=update&conflict=sku', [{ sku: 'a', title: 'x' }, { sku: 'n' }]);
    expect(graphql.errors).toEqual(rest.errors);
    expect(graphql.codes).toEqual(['FAILED_VALIDATION']);
    expect(await stored()).toEqual(before);
  });

  it('hold what is found against the rights to change it', async () => {
    expect(await change('[{ sku: "a", title: "mine" }]')).toMatchObject({ meta: { outcomes: ['updated'] } });
    expect(await change('[{ sku: "b", title: "not mine" }]')).toMatchObject({ codes: ['FORBIDDEN'] });
    expect(await change('[{ sku: "a", title: "bad" }]')).toMatchObject({ codes: ['FAILED_VALIDATION'] });
    expect(await stored('sku,title')).toEqual([
      { sku: 'a', title: 'mine' },
      { sku: 'b', title: 'second' },
    ]);
  });

  it('are tried by dry_run, with their outcomes', async () => {
    const before = await stored();
    expect(
      await upsert('data: [{ sku: "a", title: "x" }], conflict: ["sku"], dry_run: true', 'title'),
    ).toEqual({ data: [{ title: 'x' }], meta: { outcomes: ['updated'], dry_run: true, rows: 1 } });
    expect(await stored()).toEqual(before);
  });

  it('are offered to callers who may create', async () => {
    const { body } = await ask(server(), '{ __schema { mutationType { fields { name } } } }', {
      as: 'importer',
    });
    expect(JSON.stringify(body)).toContain('"upsert_item_items"');
    const { problems } = await ask(server(), 'mutation { upsert_shop_items(data: []) }', { as: 'importer' });
    expect(problems).toHaveLength(1);
  });
});
