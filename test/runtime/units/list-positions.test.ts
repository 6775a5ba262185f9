/** Positions of rows in lists with an order of their own. */
import { describe, expect, it } from 'vitest';
import { createRegistry, defineCollection, oneToMany, type ToMany } from '../../../contract/collection.js';
import { bigInteger, integer } from '../../../contract/fields.js';
import { namedPosition, newPositions, toPosition } from '../../../runtime/plan/list-position.js';
import { policiesOf, type Given, type Payload } from './member-plans.js';

const listBy = (sortField?: string) =>
  oneToMany('song', ['album'], ['id'], sortField === undefined ? {} : { sortField });

const { collections } = createRegistry([
  defineCollection({
    name: 'album',
    path: null,
    key: ['id'],
    fields: { id: integer() },
    relations: {
      ranked: listBy('rank'),
      exact: listBy('exact'),
      tiny: listBy('tiny'),
      guarded: listBy('guarded'),
      computed: listBy('computed'),
      byKey: listBy('id'),
      byOwner: listBy('album'),
      byNothing: listBy('missing'),
      plain: listBy(),
    },
  }),
  defineCollection({
    name: 'song',
    path: null,
    key: ['id'],
    fields: {
      id: integer(),
      album: integer(),
      rank: integer(),
      exact: bigInteger(),
      tiny: integer({ bits: 8 }),
      guarded: integer({ readonly: true }),
      computed: integer({ generated: true }),
    },
  }),
]);

const listOf = (name: string): ToMany => collections.get('album')?.relations.get(name) as ToMany;
const fieldOf = (name: string) =>
  collections.get('song')?.fields.get(name) as NonNullable<ToMany['collection']['key'][number]>;

const unordered = ['computed', 'byKey', 'byOwner', 'byNothing', 'plain'];

describe('new rows of a list', () => {
  it('get their place in the complete list, or one after the last row', () => {
    const field = fieldOf('rank');
    expect(newPositions(listOf('ranked'), [3, null, 1, null])).toEqual([
      { name: 'rank', value: 3 },
      { name: 'rank', value: { from: 'end', field, offset: 2 } },
      { name: 'rank', value: 1 },
      { name: 'rank', value: { from: 'end', field, offset: 4 } },
    ]);
  });

  it('get none that their field cannot store', () => {
    expect(newPositions(listOf('tiny'), [127, 128])).toEqual([{ name: 'tiny', value: 127 }, null]);
  });

  it.each(unordered)('get none where the order is not one that can be written: %s', (name) => {
    expect(newPositions(listOf(name), [1, null])).toBeNull();
  });
});

const positionOf = (name: string, payload: Payload, ordinal: number | null, permissions?: readonly Given[]) =>
  namedPosition(
    listOf(name),
    { payload, ordinal },
    { policies: policiesOf('song', permissions), maxDepth: 10 },
  );

describe('a row that the complete list names', () => {
  it('gets its place in that list', () => {
    expect(positionOf('ranked', {}, 4)).toEqual({ name: 'rank', value: 4 });
    expect(positionOf('tiny', {}, 128)).toBeNull();
  });

  it('keeps the position that it is given', () => {
    expect(positionOf('ranked', { rank: 9 }, 4)).toBeNull();
    expect(positionOf('ranked', { rank: undefined }, 4)).toBeNull();
  });

  it('keeps its position where only changes are given', () => {
    expect(positionOf('ranked', {}, null)).toBeNull();
  });

  it.each(unordered)('has no position where the order is not one that can be written: %s', (name) => {
    expect(positionOf(name, {}, 4)).toBeNull();
  });

  it('keeps its position where the caller may not change it', () => {
    const update = { action: 'update' };
    expect(positionOf('ranked', {}, 4, [{ ...update, fields: ['rank'] }])).toEqual({
      name: 'rank',
      value: 4,
    });
    expect(positionOf('ranked', {}, 4, [{ ...update, fields: ['tiny'] }])).toBeNull();
    expect(positionOf('ranked', {}, 4, [{ action: 'create' }])).toBeNull();
    expect(positionOf('guarded', {}, 4, [update])).toBeNull();
    expect(positionOf('guarded', {}, 4)).toEqual({ name: 'guarded', value: 4 });
  });
});

it('a position is a value of its field', () => {
  expect(toPosition(fieldOf('rank'), 7)).toBe(7);
  expect(toPosition(fieldOf('exact'), 7)).toBe('7');
  expect(toPosition(fieldOf('tiny'), 200)).toBeNull();
});
