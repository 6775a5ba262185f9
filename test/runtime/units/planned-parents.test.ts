/** Objects in place of keys, as plans: the key of the row that refers to them, and what cannot be one. */
import { describe, expect, it } from 'vitest';
import { createRegistry, defineCollection, manyToAny, manyToOne } from '../../../contract/collection.js';
import { integer, string } from '../../../contract/fields.js';
import { createPolicyIndex } from '../../../runtime/access/policies.js';
import { planCreate, planUpdates } from '../../../runtime/plan/write.js';
import { problemsOf, writing, type Payload } from './member-plans.js';

const registry = createRegistry([
  defineCollection({
    name: 'place',
    path: '/items/place',
    key: ['land', 'town'],
    fields: { land: string({ length: 2 }), town: integer(), name: string({ nullable: true }) },
  }),
  defineCollection({
    name: 'thing',
    path: '/items/thing',
    key: ['id'],
    fields: { id: integer(), name: string() },
  }),
  defineCollection({
    name: 'visit',
    path: '/items/visit',
    key: ['id', 'land'],
    fields: {
      id: integer(),
      land: string({ length: 2 }),
      town: integer({ nullable: true }),
      made: integer({ generated: true }),
      country: string({ nullable: true }),
      city: integer({ nullable: true }),
      start: string(),
      street: integer({ nullable: true }),
      origin: string(),
      port: integer(),
      item: string({ nullable: true }),
      kind: string({ nullable: true }),
    },
    relations: {
      land: manyToOne('place', ['land', 'town'], ['land', 'town']),
      made: manyToOne('place', ['made'], ['town']),
      destination: manyToOne('place', ['country', 'city'], ['land', 'town']),
      departure: manyToOne('place', ['start', 'street'], ['land', 'town']),
      source: manyToOne('place', ['origin', 'port'], ['land', 'town']),
      item: manyToAny('item', 'kind', ['thing']),
    },
  }),
]);

const visits = registry.collections.get('visit');
if (visits === undefined) throw new Error('there is no visit');

const policies = createPolicyIndex({
  version: '1',
  roles: [],
  policies: [{ id: 'p', admin: true }],
  access: [{ policy: 'p', role: null, user: 'ann' }],
  permissions: [],
}).policiesOf({ id: 'ann', role: null, status: 'active', columns: {} });

const rowOf = (payload: Payload): unknown => {
  const { rows, parents } = planCreate(visits, [{ id: 1, ...payload }], writing(policies));
  return [...rows.map((row) => Object.fromEntries(row)), parents.length];
};
const changesOf = (payload: Payload): unknown =>
  planUpdates(visits, [{ key: [1, 'pl'], payload }], writing(policies)).map(({ row }) =>
    Object.fromEntries(row),
  );
const problemsOfUpdate = (payload: Payload) =>
  problemsOf(() => planUpdates(visits, [{ key: [1, 'pl'], payload }], writing(policies)));

describe('an object in place of a key', () => {
  it('with its whole key sets each column of it', () => {
    expect(rowOf({ land: { town: 7, land: 'pl', name: 'a' } })).toEqual([{ id: 1, land: 'pl', town: 7 }, 1]);
  });

  it('without its key leaves every column to the row that is created', () => {
    expect(rowOf({ land: { land: 'pl', name: 'a' } })).toEqual([{ id: 1, land: null, town: null }, 1]);
  });

  it('refers to the collection that the payload names beside it', () => {
    expect(rowOf({ land: 'pl', kind: 'thing', item: { id: 4, name: 'a' } })).toEqual([
      { id: 1, land: 'pl', kind: 'thing', item: '4' },
      1,
    ]);
  });

  it('cannot change the key of an item', () => {
    expect(problemsOfUpdate({ land: { land: 'de', town: 7 } })).toEqual([
      { code: 'INVALID_PAYLOAD', reason: '"land" is part of the key of an item and cannot be changed' },
    ]);
  });

  it('cannot set a column that the database computes', () => {
    expect(problemsOf(() => rowOf({ land: 'pl', made: { land: 'pl', town: 7 } }))).toEqual([
      { code: 'INVALID_PAYLOAD', reason: '"made" is computed by the database and cannot be written' },
    ]);
  });

  it('has the problems that its row has whether it is stored or not, beside those of the rest of the payload', () => {
    const destination = { land: 'pl', town: 7, name: 1 };
    expect(problemsOfUpdate({ destination, port: 'x' })).toMatchObject([
      { code: 'FAILED_VALIDATION', field: 'port' },
      { code: 'FAILED_VALIDATION', pointer: '/destination/name' },
    ]);
  });

  it('needs a valid key', () => {
    expect(problemsOf(() => rowOf({ land: { land: 'pl', town: 'x' } }))).toMatchObject([
      { code: 'FORBIDDEN' },
    ]);
  });
});

describe('a part of a key of several columns', () => {
  it('may be given by an update as it is stored, and not as another', () => {
    expect(changesOf({ id: 1, land: 'pl', city: 3 })).toEqual([{ city: 3 }]);
    expect(problemsOfUpdate({ land: 'de' })).toMatchObject([
      { code: 'INVALID_PAYLOAD', reason: expect.stringContaining('"land" is the key') as string },
    ]);
  });
});

describe('an item in place of a key of several columns', () => {
  const item = { land: 'pl', town: 7 };

  it('may stand beside its columns where they say the same', () => {
    expect(rowOf({ country: 'pl', city: '7', destination: item })).toEqual(rowOf({ destination: item }));
    expect(rowOf({ country: null, destination: item })).toEqual(rowOf({ destination: item }));
  });

  it.each([
    { country: 'de', destination: item },
    { destination: item, country: 'de' },
  ])('cannot contradict them: %j', (payload) => {
    expect(problemsOf(() => rowOf(payload))).toEqual([
      {
        code: 'INVALID_PAYLOAD',
        reason: '"destination" and "country" give different keys; leave one of them out',
      },
    ]);
  });
});

describe('null in place of a key of several columns', () => {
  it('clears those of its columns that may be null', () => {
    expect(rowOf({ destination: null })).toEqual([{ id: 1, country: null, city: null }, 0]);
    expect(rowOf({ departure: null })).toEqual([{ id: 1, street: null }, 0]);
    expect(changesOf({ departure: null })).toEqual([{ street: null }]);
  });

  it('leaves a column that the payload gives as well', () => {
    expect(rowOf({ country: 'pl', destination: null })).toEqual([{ id: 1, country: 'pl', city: null }, 0]);
  });

  it('is invalid in an update where none of its columns may be null', () => {
    expect(rowOf({ source: null })).toEqual([{ id: 1 }, 0]);
    expect(problemsOfUpdate({ source: null })).toMatchObject([
      { code: 'FAILED_VALIDATION', field: 'origin', type: 'nnull' },
      { code: 'FAILED_VALIDATION', field: 'port', type: 'nnull' },
    ]);
  });

  it('cannot be a key', () => {
    expect(problemsOf(() => rowOf({ destination: 5 }))).toEqual([
      {
        code: 'INVALID_PAYLOAD',
        reason: '"destination" takes an item or null; a key is given by "country", "city"',
      },
    ]);
  });
});

describe('the key of an item of any collection', () => {
  it('is stored as text, if it is one of the collection that the payload names beside it', () => {
    expect(rowOf({ kind: 'thing', item: 4 })).toEqual([{ id: 1, kind: 'thing', item: '4' }, 0]);
    expect(rowOf({ kind: null, item: null })).toEqual([{ id: 1, kind: null, item: null }, 0]);
    expect(problemsOf(() => rowOf({ kind: 'thing', item: 'x' }))).toMatchObject([{ field: 'item' }]);
  });
});
