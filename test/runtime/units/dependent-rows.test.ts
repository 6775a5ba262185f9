/** Rows whose values depend on others: of presets, of relations with several columns, of their owner, and of rules. */
import { describe, expect, it } from 'vitest';
import {
  createRegistry,
  defineCollection,
  manyToOne,
  oneToMany,
  type Collection,
} from '../../../contract/collection.js';
import { integer, string } from '../../../contract/fields.js';
import { planCreate, planUpdates } from '../../../runtime/plan/write.js';
import { bindCreate } from '../../../runtime/plan/owner-operands.js';
import type { ListPlan } from '../../../runtime/plan/write-plan.js';
import { policiesOf, problemsOf, writing, type Given, type Payload } from './member-plans.js';

const { collections } = createRegistry([
  defineCollection({
    name: 'album',
    path: null,
    key: ['id'],
    fields: { id: integer({ auto: true }), title: string({ nullable: true }) },
    relations: {
      songs: oneToMany('song', ['album'], ['id'], { sortField: 'rank' }),
      drafts: oneToMany('song', ['album'], ['id'], { deselect: 'delete' }),
    },
  }),
  defineCollection({
    name: 'song',
    path: null,
    key: ['id'],
    fields: {
      id: integer({ auto: true }),
      album: integer({ nullable: true }),
      rank: integer({ nullable: true }),
      name: string({ required: true }),
      code: string({ required: true }),
      level: integer({ nullable: true, validation: { album: { _lt: 10 } }, validationType: 'early' }),
      grade: integer({ nullable: true, validation: { grade: { _lt: 5 }, album: { _lt: 10 } } }),
    },
  }),
  defineCollection({
    name: 'seat',
    path: null,
    key: ['row', 'letter'],
    fields: { row: integer(), letter: string() },
  }),
  defineCollection({
    name: 'ticket',
    path: null,
    key: ['id'],
    fields: {
      id: integer({ auto: true }),
      row: integer({ nullable: true }),
      letter: string({ nullable: true }),
      fixed: integer(),
      place: string(),
    },
    relations: {
      seat: manyToOne('seat', ['row', 'letter'], ['row', 'letter']),
      desk: manyToOne('seat', ['fixed', 'place'], ['row', 'letter']),
    },
  }),
]);

const collectionOf = (name: string): Collection => collections.get(name) as Collection;

const create = (name: string, payload: Payload, permissions?: readonly Given[]) =>
  planCreate(collectionOf(name), [payload], writing(policiesOf(name, permissions)));

const created = (name: string, payload: Payload, permissions?: readonly Given[]): unknown =>
  create(name, payload, permissions).rows.map((row) => Object.fromEntries(row))[0];

const updated = (name: string, payload: Payload): unknown => {
  const [plan] = planUpdates(collectionOf(name), [{ key: [1], payload }], writing(policiesOf(name)));
  return Object.fromEntries(plan?.row ?? []);
};

const song = { name: 'a', code: 'x' };

const songsOf = (songs: unknown, permissions?: readonly Given[]): ListPlan | undefined => {
  const context = writing(
    permissions === undefined
      ? policiesOf('album')
      : policiesOf('song', [...permissions, { collection: 'album', action: 'update' }]),
  );
  return planUpdates(collectionOf('album'), [{ key: [1], payload: { songs } }], context)[0]?.lists[0];
};

it('a preset that the payload replaces is not read', () => {
  expect(created('song', { ...song, rank: 5 }, [{ presets: { rank: 'first' } }])).toEqual({
    ...song,
    rank: 5,
  });
  expect(problemsOf(() => created('song', song, [{ presets: { rank: 'first' } }]))).toMatchObject([
    { code: 'FAILED_VALIDATION', field: 'rank' },
  ]);
});

describe('null for a relation of several columns', () => {
  it('makes the columns null that may be, and keeps those that are given', () => {
    expect(created('ticket', { seat: null, fixed: 1, place: 'a' })).toMatchObject({
      row: null,
      letter: null,
    });
    expect(created('ticket', { row: 5, seat: null, fixed: 1, place: 'a' })).toMatchObject({
      row: 5,
      letter: null,
    });
    expect(updated('ticket', { seat: null })).toEqual({ row: null, letter: null });
  });

  it('is refused where none of the columns may be null', () => {
    expect(problemsOf(() => updated('ticket', { desk: null }))).toMatchObject([
      { type: 'nnull', field: 'fixed' },
      { type: 'nnull', field: 'place' },
    ]);
  });

  it('is the only value but an item', () => {
    expect(problemsOf(() => created('ticket', { seat: 5 }))).toEqual([
      { code: 'INVALID_PAYLOAD', reason: '"seat" takes an item or null; a key is given by "row", "letter"' },
    ]);
  });
});

it('missing values are named to callers who may write them, and mentioned to others', () => {
  expect(problemsOf(() => created('song', {}, [{ fields: ['name'] }]))).toMatchObject([
    { code: 'FAILED_VALIDATION', type: 'required', field: 'name' },
    { code: 'FORBIDDEN', reason: '"song" needs values that you may not write' },
  ]);
});

const firstSong = (payload: Payload) =>
  create('album', { songs: [{ ...song, ...payload }] }).lists[0]?.creates;

describe('a new row of a list', () => {
  it('has its place in the list unless the payload has one', () => {
    expect(firstSong({})?.rows[0]?.get('rank')).toBe(1);
    expect(firstSong({ rank: 9 })?.rows[0]?.get('rank')).toBe(9);
  });

  it('is checked once its owner is known, where the rule of a field that it has depends on the owner', () => {
    expect(firstSong({ level: 1 })?.checks).toHaveLength(1);
    expect(firstSong({ grade: 1 })?.checks).toHaveLength(1);
    expect(firstSong({})?.checks).toEqual([]);
  });
});

describe('the rule of a field', () => {
  it('applies where the field is written', () => {
    expect(created('song', { ...song, album: 50 })).toEqual({ ...song, album: 50 });
    expect(created('song', { ...song, album: 5, level: 1 })).toEqual({ ...song, album: 5, level: 1 });
  });

  it('may have a name of its own for its failures, without the operand', () => {
    const [problem] = problemsOf(() => created('song', { ...song, album: 50, level: 1 }));
    expect(problem).toMatchObject({ code: 'FAILED_VALIDATION', field: 'album', type: 'early' });
    expect(problem).not.toHaveProperty('valid');
  });
});

const changes = ({ updates }: Pick<ListPlan, 'updates'>) =>
  updates.map(({ key, update, position }) => [key, Object.fromEntries(update?.row ?? []), position]);

describe('the rows of a complete list in an order', () => {
  it('get their place, alone or with the values that they are given', () => {
    const list = songsOf([7, { id: 8, name: 'b' }, { id: 9, rank: 1 }, { id: 6 }]);
    expect(list && changes(list)).toEqual([
      [[7], { rank: 1 }, 1],
      [[8], { rank: 2, name: 'b' }, null],
      [[9], { rank: 1 }, null],
      [[6], { rank: 4 }, 4],
    ]);
  });

  it('keep their place where only changes are given', () => {
    const list = songsOf({ update: [{ id: 8, name: 'b' }] });
    expect(list && changes(list)).toEqual([[[8], { name: 'b' }, null]]);
  });

  it('keep their place where the caller may not change it', () => {
    const list = songsOf(
      [7, { id: 8, name: 'b' }],
      [
        { action: 'update', fields: ['name', 'album'] },
        { action: 'read', fields: ['*'] },
      ],
    );
    expect(list && changes(list)).toEqual([
      [[7], {}, null],
      [[8], { name: 'b' }, null],
    ]);
  });
});

it('rows that are added to a list get their place after its last row', () => {
  const creates = songsOf({ create: [song, { ...song, rank: 2 }, song] })?.creates;
  const rows = creates ? bindCreate(creates, { references: [1], end: 40 }).rows : [];
  expect(rows.map((row) => row.get('rank'))).toEqual([41, 2, 43]);
});

it('rows that the caller may not delete refuse to leave a list that deletes them', () => {
  const context = writing(
    policiesOf('song', [{ action: 'read' }, { collection: 'album', action: 'update' }]),
  );
  const [plan] = planUpdates(collectionOf('album'), [{ key: [1], payload: { drafts: [] } }], context);
  expect(plan?.lists[0]?.removes?.removal).toMatchObject({
    kind: 'refused',
    problems: [{ code: 'FORBIDDEN' }],
  });
});
