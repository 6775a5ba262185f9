/** `on_conflict` of callers with limited permissions. */
import { describe, expect, it } from 'vitest';
import { settingsOf } from '../server-harness.js';
import { useShop } from './upsert-shop.js';

const settings = settingsOf(import.meta.url);

describe.each(settings)('on_conflict under grants on $dialect through $listener', (setting) => {
  const { post, stored } = useShop(setting);

  it('changes only rows and fields that the caller may change', async () => {
    const as = 'clerk';
    expect(await post('on_conflict=update&conflict=sku', { sku: 'a', title: 'x' }, { as })).toEqual({
      status: 200,
      data: null,
      outcomes: ['updated'],
    });
    const refused = { status: 403, codes: ['FORBIDDEN'] };
    expect(await post('on_conflict=update&conflict=sku', { sku: 'b', title: 'x' }, { as })).toMatchObject(
      refused,
    );
    expect(await post('on_conflict=update&conflict=sku', { sku: 'a', price: 1 }, { as })).toMatchObject(
      refused,
    );
    expect(await post('on_conflict=update&conflict=sku', { sku: 'a', title: 'bad' }, { as })).toMatchObject({
      status: 400,
      codes: ['FAILED_VALIDATION'],
    });
    expect(await post('on_conflict=update&conflict=place', { sku: 'a', title: 'x' }, { as })).toMatchObject({
      status: 400,
      codes: ['INVALID_QUERY'],
    });
    expect(await stored('title')).toEqual([{ title: 'x' }, { title: 'second' }]);
  });

  it('shows no row that the caller may not read', async () => {
    expect(
      await post(
        'on_conflict=ignore&conflict=sku',
        [
          { sku: 'b', price: 1 },
          { sku: 'n', title: 'new', price: 1 },
        ],
        { as: 'clerk' },
      ),
    ).toMatchObject({ data: [{ title: 'new' }], outcomes: ['ignored', 'created'] });
    expect(await post('on_conflict=update&conflict=sku', [{ sku: 'a', price: 1 }], { as: 'writer' })).toEqual(
      { status: 200, data: null, outcomes: ['updated'] },
    );
  });

  it('does not show which row has a value that the caller may not read', async () => {
    const tried = [
      { sku: 'a', price: 1 },
      { sku: 'n', title: 'new', price: 1 },
    ];
    const body = await post('on_conflict=ignore&conflict=sku', tried, { as: 'clerk' });
    expect(body).toMatchObject({ data: [{ title: 'new' }], outcomes: ['ignored', 'created'] });
    const hidden = { status: 200, data: null, outcomes: ['ignored'] };
    expect(await post('on_conflict=ignore&conflict=sku', { sku: 'a', price: 1 }, { as: 'clerk' })).toEqual(
      hidden,
    );
    expect(await post('on_conflict=ignore&conflict=sku', { sku: 'b', price: 1 }, { as: 'partial' })).toEqual(
      hidden,
    );
    expect(await post('on_conflict=ignore&conflict=sku', { sku: 'a', price: 1 }, { as: 'partial' })).toEqual({
      status: 200,
      data: { id: 1, sku: 'a', title: 'first' },
      outcomes: ['ignored'],
    });
    expect(await post('on_conflict=ignore', { id: 1, sku: 'q', price: 1 }, { as: 'partial' })).toMatchObject({
      data: { id: 1, title: 'first' },
    });
  });

  it('needs the right to change for update, and not for ignore', async () => {
    const body = [{ sku: 'z', price: 1 }];
    expect(await post('on_conflict=update&conflict=sku', body, { as: 'importer' })).toMatchObject({
      status: 403,
    });
    expect(await post('on_conflict=ignore&conflict=sku', body, { as: 'importer' })).toMatchObject({
      outcomes: ['created'],
    });
  });
});
