/** Objects in place of keys, as plans: the key of the row that refers to them, and what cannot be one. */
import { describe, expect, it } from 'vitest';
import { createRegistry, defineCollection, manyToAny, manyToOne } from '../../../contract/collection.js';
import { integer, string } from '../../../contract/fields.js';
import { createPolicyIndex } from '../../../runtime/access/policies.js';
import { isKeyChosen } from '../../../runtime/plan/parent.js';
import { planCreate, planUpdates } from '../../../runtime/plan/write.js';
import { policiesOf, problemsOf, writing, type Given, type Payload } from './member-plans.js';

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
    fields: { id: integer(), name: string({ required: true }), note: string({ nullable: true }) },
  }),
  defineCollection({
    name: 'guide',
    path: '/items/guide',
    key: ['id'],
    fields: { id: integer({ auto: true }), name: string({ length: 5 }) },
  }),
  defineCollection({
    name: 'seal',
    path: '/items/seal',
    key: ['land', 'number'],
    fields: { land: string(), number: integer({ generated: true }) },
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
      guide: integer({ nullable: true }),
      back: string({ nullable: true, readonly: true }),
      stop: integer({ nullable: true }),
    },
    relations: {
      land: manyToOne('place', ['land', 'town'], ['land', 'town']),
      made: manyToOne('place', ['made'], ['town']),
      destination: manyToOne('place', ['country', 'city'], ['land', 'town']),
      departure: manyToOne('place', ['start', 'street'], ['land', 'town']),
      source: manyToOne('place', ['origin', 'port'], ['land', 'town']),
      guide: manyToOne('guide', ['guide'], ['id']),
      return: manyToOne('place', ['back', 'stop'], ['land', 'town']),
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

/** The parent of a visit. */
const parentOf = (payload: Payload, permissions?: readonly Given[]) =>
  planCreate(
    visits,
    [{ id: 1, land: 'pl', ...payload }],
    writing(permissions === undefined ? policies : policiesOf('visit', permissions)),
  ).parents[0];

describe('the row of an object in place of a key', () => {
  const place = { land: 'pl', town: 7 };

  it('is created where the object has no key', () => {
    const parent = parentOf({ guide: { name: 'a' } });
    expect(parent?.update).toBeNull();
    expect(parent?.create).toMatchObject({ rows: [new Map([['name', 'a']])] });
  });

  it('is created with a key that clients choose, or changed', () => {
    const parent = parentOf({ destination: { ...place, name: 'x' } });
    expect(parent?.update).toMatchObject({ row: new Map([['name', 'x']]) });
    expect(parent?.create).toMatchObject({ rows: [new Map(Object.entries({ ...place, name: 'x' }))] });
    expect(parentOf({ destination: place })?.update).toBeNull();
  });

  it('is not created with a key that the database chooses', () => {
    // which such an object stands for
    expect(parentOf({ guide: { id: 3 } })).toBeUndefined();
    expect(parentOf({ guide: { id: 3, name: 'b' } })).toMatchObject({
      update: { row: new Map([['name', 'b']]) },
      create: null,
    });
    const chosen = ['place', 'guide', 'seal'].map((name) => {
      const collection = registry.collections.get(name);
      return collection && isKeyChosen(collection);
    });
    expect(chosen).toEqual([true, false, false]);
  });

  it('is not created by a caller who may only change it, as if its key did not exist', () => {
    const permissions = [{}, { collection: 'place', action: 'update' }];
    expect(parentOf({ destination: { ...place, name: 'x' } }, permissions)).toMatchObject({
      update: { row: new Map([['name', 'x']]) },
      create: null,
    });
    expect(parentOf({ destination: place }, permissions)).toMatchObject({ update: null, create: null });
  });

  it('is created by a caller who may not change it', () => {
    const parent = parentOf({ destination: { ...place, name: 'x' } }, [{}, { collection: 'place' }]);
    expect(parent?.update).toMatchObject({ problems: [{ code: 'FORBIDDEN' }] });
    expect(parent?.create).toMatchObject({ rows: [new Map(Object.entries({ ...place, name: 'x' }))] });
  });

  it('may be stored already where the object lacks a value of a new row', () => {
    const parent = parentOf({ kind: 'thing', item: { id: 4, note: 'n' } });
    expect(parent?.update).toMatchObject({ row: new Map([['note', 'n']]) });
    expect(parent?.create).toMatchObject({ problems: [{ code: 'FAILED_VALIDATION' }] });
    // one of the values may not be written at all
    const permissions = [
      {},
      { collection: 'thing', fields: ['id', 'name'] },
      { collection: 'thing', action: 'update' },
    ];
    expect(parentOf({ kind: 'thing', item: { id: 4, note: 'n' } }, permissions)?.create).toBeNull();
  });

  it.each([{ name: 'too long' }, { id: 3, name: 'too long' }])('has to be valid: %j', (guide) => {
    expect(problemsOf(() => parentOf({ guide }))).toMatchObject([
      { code: 'VALUE_TOO_LONG', path: ['guide'], pointer: '/guide/name' },
    ]);
  });

  it('needs the permission to write the key', () => {
    const permissions = [{ fields: ['id', 'land'] }, { collection: 'guide' }];
    expect(problemsOf(() => parentOf({ guide: { name: 'a' } }, permissions))).toEqual([
      { code: 'FORBIDDEN', reason: 'the field "guide" does not exist or may not be used for create' },
    ]);
  });

  it('needs the permission to write every column of the key, not only the relation', () => {
    const permissions = [{ fields: ['id', 'land', 'source'] }, { collection: 'place' }];
    for (const source of [place, 5])
      expect(problemsOf(() => parentOf({ source }, permissions))).toEqual([
        { code: 'FORBIDDEN', reason: 'the field "source" does not exist or may not be used for create' },
      ]);
  });

  it.each([
    ['guide', { guide: { name: 'a' } }],
    ['item', { kind: 'thing', item: { id: 4, name: 'a' } }],
  ])('is not behind more relations than are allowed: %s', (name, payload) => {
    const context = { ...writing(policies), maxDepth: 0 };
    const reason = `"${name}" crosses more than 0 relations`;
    expect(problemsOf(() => planCreate(visits, [{ id: 1, land: 'pl', ...payload }], context))).toMatchObject([
      { code: 'INVALID_PAYLOAD', reason },
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

  it('does not clear a read-only column', () => {
    expect(rowOf({ return: null })).toEqual([{ id: 1, back: null, stop: null }, 0]);
    expect(problemsOf(() => parentOf({ return: null }, [{}]))).toEqual([
      { code: 'FORBIDDEN', reason: 'the field "back" is read-only' },
    ]);
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
