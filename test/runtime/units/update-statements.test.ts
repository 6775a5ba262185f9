/** Updates of several rows in one statement, each with values of its own, and how values are bound where they are stored. */
import { describe, expect, it } from 'vitest';
import { defineCollection, createRegistry, type Collection } from '../../../contract/collection.js';
import { geometry, integer, text } from '../../../contract/fields.js';
import type { Scalar } from '../../../runtime/plan/parsed-value.js';
import { conditionTrue } from '../../../runtime/plan/types.js';
import { compileDelete, compileUpdate, compileUpdates } from '../../../runtime/sql/write.js';
import { collectionOf, dialects, inputOf, printStatement } from './compiled.js';

const { sqlite, mariadb, mysql, postgres } = dialects;

const place = createRegistry([
  defineCollection({
    name: 'place',
    path: '/items/place',
    key: ['id'],
    fields: { id: integer(), spot: geometry({ nullable: true }), note: text({ nullable: true }) },
  }),
]).collections.get('place') as Collection;

type Values = Readonly<Record<string, Scalar | null>>;

const update = (
  collection: Collection,
  rows: readonly (readonly [key: readonly Scalar[], values: Values])[],
  dialect = sqlite,
): string =>
  printStatement(
    compileUpdates(
      collection,
      rows.map(([key, values]) => ({ key, row: new Map(Object.entries(values)) })),
      dialect,
    ),
  );

/** The canonical text of a point. */
const point = (x: number): string =>
  JSON.stringify({ srid: 0, geometry: { type: 'Point', coordinates: [x, 0] } });

describe('an update of several rows', () => {
  const notes = collectionOf('note');

  it('gives each row the values of its key, in the order of their placeholders', () => {
    expect(
      update(notes, [
        [[1], { book: 'a', text: 'x' }],
        [[2], { book: 'b', text: null }],
      ]),
    ).toBe(
      'update "note" set "book" = case when "id" = ? then ? when "id" = ? then ? end,' +
        ' "text" = case when "id" = ? then ? when "id" = ? then ? end where "id" in (?, ?)' +
        ' -- 1n, "a", 2n, "b", 1n, "x", 2n, null, 1n, 2n',
    );
  });

  it('matches values by the names of their columns', () => {
    expect(
      update(notes, [
        [[1], { book: 'a', text: 'x' }],
        [[2], { text: 'y', book: 'b' }],
      ]),
    ).toMatch(/ -- 1n, "a", 2n, "b", 1n, "x", 2n, "y", 1n, 2n$/);
  });

  it('sets a value that all rows have once', () => {
    expect(
      update(notes, [
        [[1], { book: 'a', text: null }],
        [[2], { book: 'a', text: null }],
      ]),
    ).toBe('update "note" set "book" = ?, "text" = ? where "id" in (?, ?) -- "a", null, 1n, 2n');
    expect(
      update(notes, [
        [[1], { book: 'a' }],
        [[2], { book: 'b' }],
        [[3], { book: 'a' }],
      ]),
    ).toContain('when "id" = ? then ? when "id" = ? then ? when "id" = ? then ? end');
  });

  it('finds rows by every column of a composite key', () => {
    expect(
      update(collectionOf('loan'), [
        [['c1', '2020-01-01'], { reader: 'a' }],
        [['c1', '2020-01-02'], { reader: 'b' }],
      ]),
    ).toBe(
      'update "loan" set "reader" = case when "book" = ? and "day" = ? then ? when "book" = ? and "day" = ? then ? end' +
        ' where ("book", "day") in ((?, ?), (?, ?))' +
        ' -- "c1", "2020-01-01", "a", "c1", "2020-01-02", "b", "c1", "2020-01-01", "c1", "2020-01-02"',
    );
  });

  it('has the type of its column where the database takes that of the values', () => {
    const rows = [
      [[1], { text: 'x' }],
      [[2], { text: 'y' }],
    ] as const;
    expect(update(notes, rows, postgres)).toContain('then ? else "text" end where');
    expect(update(notes, rows, mariadb)).toContain('then ? end where');
  });

  it('converts what a column stores in another form', () => {
    expect(
      update(
        place,
        [
          [[1], { spot: point(1), note: 'a' }],
          [[2], { spot: point(2), note: 'a' }],
        ],
        mysql,
      ),
    ).toContain(
      'set `spot` = case when `id` = ? then st_swapxy(st_swapxy(?)) when `id` = ? then st_swapxy(st_swapxy(?)) end,' +
        ' `note` = ? where',
    );
  });
});

const onKeys = (...keys: readonly (readonly Scalar[])[]) => ({
  dialect: mariadb,
  keys,
  where: conditionTrue,
  input: inputOf([]),
});

it('null is stored as null in a column whose values are converted', () => {
  expect(compileUpdate(place, new Map([['spot', null]]), onKeys([1])).values).toEqual([null, 1]);
});

it('several keys of a type that needs a cast have one each', () => {
  expect(printStatement(compileDelete(collectionOf('crate'), onKeys(['5'], ['6'])))).toBe(
    'delete from `crate` where `id` in (cast(? as decimal(65,30)), cast(? as decimal(65,30))) -- "5", "6"',
  );
});
