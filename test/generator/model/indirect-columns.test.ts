/** Columns that payloads may leave out, because a relation of another name sets them. */
import { describe, expect, it } from 'vitest';
import { indirectColumns, indirectParents } from '../../../generator/model/indirect-columns.js';
import type { Collection } from '../../../generator/model/types.js';
import { counter, integer, key, string, table } from '../catalogs.js';
import { artists, build } from './relations.js';

const orders = table('orders', { shop: integer(), number: integer() }, { primaryKey: ['shop', 'number'] });
const lines = table(
  'lines',
  { id: counter(), shop: integer(), order: integer(), artist: integer(), item: string(64), kind: string(64) },
  {
    foreignKeys: [
      key(['shop', 'order'], 'orders', ['shop', 'number']),
      key(['artist'], 'Artist', ['ArtistId']),
    ],
  },
);
const toAny = {
  many_collection: 'lines',
  many_field: 'item',
  one_collection_field: 'kind',
  one_allowed_collections: 'Artist',
};

const collectionOf = (name: string): Collection =>
  build([artists, orders, lines], [toAny]).model.collections.find((each) => each.name === name) as Collection;

describe('columns that a relation of another name sets', () => {
  it('are those of a key of several columns, and the two of a many-to-any relation', () => {
    expect([...indirectColumns(collectionOf('lines'))].toSorted()).toEqual(['item', 'kind', 'order', 'shop']);
  });

  it('are none on the other side', () => {
    expect([...indirectColumns(collectionOf('orders')), ...indirectColumns(collectionOf('Artist'))]).toEqual(
      [],
    );
  });
});

it('the relations of other names are those whose key has several columns', () => {
  expect(
    ['lines', 'orders'].map((name) => indirectParents(collectionOf(name)).map((each) => each.name)),
  ).toEqual([['orders'], []]);
});
