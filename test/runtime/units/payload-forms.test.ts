/** Forms of payloads: keys that are given as objects, and relations to items of several collections. */
import { describe, expect, it } from 'vitest';
import {
  createRegistry,
  defineCollection,
  manyToAny,
  manyToOne,
  oneToMany,
  type Collection,
  type ToOne,
} from '../../../contract/collection.js';
import { integer, json, string, uuid } from '../../../contract/fields.js';
import { fromStoredKey, toStoredKey } from '../../../runtime/plan/many-to-any-payload.js';
import { normalizePayload } from '../../../runtime/plan/payload.js';
import { planCreate, planUpdates } from '../../../runtime/plan/write.js';
import { policiesOf, problemsOf, writing, type Given, type Payload } from './member-plans.js';

const { collections } = createRegistry([
  defineCollection({
    name: 'work',
    path: null,
    key: ['id'],
    fields: { id: integer({ auto: true }), slug: string({ nullable: true }) },
  }),
  defineCollection({ name: 'page', path: null, key: ['code'], fields: { code: string() } }),
  defineCollection({
    name: 'pair',
    path: null,
    key: ['left', 'right'],
    fields: { left: integer({ auto: true }), right: integer() },
  }),
  defineCollection({
    name: 'block',
    path: null,
    key: ['id'],
    fields: {
      id: integer({ auto: true }),
      work: integer({ nullable: true }),
      slug: string({ nullable: true }),
      page: string({ nullable: true }),
      pair: integer({ nullable: true }),
      facts: json({ nullable: true }),
      item: string({ nullable: true }),
      kind: string({ nullable: true }),
      number: integer({ nullable: true }),
      uid: uuid({ nullable: true }),
      of: string({ nullable: true }),
    },
    relations: {
      work: manyToOne('work', ['work'], ['id']),
      slug: manyToOne('work', ['slug'], ['slug']),
      page: manyToOne('page', ['page'], ['code']),
      pair: manyToOne('pair', ['pair'], ['left']),
      wide: manyToOne('work', ['work', 'slug'], ['id', 'slug']),
      works: oneToMany('work', ['id'], ['work']),
      item: manyToAny('item', 'kind', ['work', 'page']),
      number: manyToAny('number', 'of', ['work']),
      uid: manyToAny('uid', 'of', ['work']),
    },
  }),
]);

const block = collections.get('block') as Collection;
const normalized = (payload: Payload): Payload => normalizePayload(payload, block);

describe('an object of nothing but a generated key', () => {
  it.each<[Payload, Payload]>([
    [{ work: { id: 5 } }, { work: 5 }],
    [
      { kind: 'work', item: { id: 5 } },
      { kind: 'work', item: 5 },
    ],
    [{ 'item:work': { id: 5 } }, { kind: 'work', item: 5 }],
    [
      { facts: { id: 1 }, work: { id: 5 }, kind: 'work', item: { id: 6 } },
      { facts: { id: 1 }, work: 5, kind: 'work', item: 6 },
    ],
  ])('is that key: %j', (payload, want) => {
    expect(normalized(payload)).toEqual(want);
  });

  it.each<[string, Payload]>([
    ['has other fields', { work: { id: 5, slug: 'a' } }],
    ['has another field in place of the key', { work: { slug: 'a' } }],
    ['is empty', { work: {} }],
    ['has no value for the key', { work: { id: null } }],
    ['stands for a relation to another field', { slug: { slug: 'a' } }],
    ['stands for a relation to another field, with the key', { slug: { id: 5 } }],
    ['stands for a relation to several fields', { wide: { id: 5 } }],
    ['has a key that clients choose', { page: { code: 'a' } }],
    ['has a part of a key', { pair: { left: 5 } }],
    ['stands for a list', { works: { id: 5 } }],
    ['is a value of JSON', { facts: { id: 5 } }],
    ['stands for a name that is no field', { missing: { id: 5 } }],
    ['has a key that clients choose, of one of several collections', { kind: 'page', item: { code: 'a' } }],
    ['is of a collection that the relation does not have', { kind: 'pair', item: { left: 5 } }],
  ])('stays an object where it %s', (_, payload) => {
    expect(normalized(payload)).toBe(payload);
  });

  it('is replaced in a copy', () => {
    const payload = { work: { id: 5 }, slug: 'a' };
    expect(normalized(payload)).toEqual({ work: 5, slug: 'a' });
    expect(payload).toEqual({ work: { id: 5 }, slug: 'a' });
  });
});

describe('a name with a collection', () => {
  it('stands for the fields of the key and of the collection', () => {
    const payload = { slug: 'a', 'item:page': 'x', 'number:work': 5 };
    expect(normalized(payload)).toEqual({ slug: 'a', item: 'x', kind: 'page', number: 5, of: 'work' });
    expect(payload).toHaveProperty('item:page');
  });

  it.each<[Payload, string]>([
    [{ 'item:page': 'x', item: 'y' }, '"item:page" stands for "kind" and "item"; leave these out'],
    [{ 'item:page': 'x', kind: 'page' }, '"item:page" stands for "kind" and "item"; leave these out'],
    [
      { 'item:page': 'x', 'item:work': 5 },
      '"item:page" and "item:work" are two items of one relation; give one of them',
    ],
  ])('excludes these fields and other collections: %j', (payload, reason) => {
    expect(problemsOf(() => normalized(payload))).toEqual([{ code: 'INVALID_PAYLOAD', reason }]);
  });
});

const reasonsOf = (run: () => unknown): readonly unknown[] =>
  problemsOf(run).map((problem) => (problem as { readonly reason?: unknown }).reason);

const createReasons = (payload: Payload, permissions?: readonly Given[]) =>
  reasonsOf(() => planCreate(block, [payload], writing(policiesOf('block', permissions))));

const updateReasons = (payload: Payload, permissions?: readonly Given[]) =>
  reasonsOf(() => planUpdates(block, [{ key: [1], payload }], writing(policiesOf('block', permissions))));

const part = (name: string): string => `"${name}" is part of a relation of which you may not write the rest`;

describe('an item of several collections', () => {
  const needsCollection = '"item" needs "kind", the collection of the item';
  const noSuchCollection = '"kind" names no collection whose items "item" can refer to';

  it.each<[Payload, readonly string[]]>([
    [{ kind: 'page', item: 'x' }, []],
    [{ kind: null, item: null }, []],
    [{ kind: 'page' }, []],
    [{ item: null }, []],
    [{ item: 'x' }, [needsCollection]],
    [{ item: 'x', kind: null }, [needsCollection]],
    [{ item: 'x', kind: 'pair' }, [noSuchCollection]],
    [{ kind: 'pair' }, [noSuchCollection]],
  ])('is created with its collection: %j', (payload, want) => {
    expect(createReasons(payload)).toEqual(want);
  });

  it.each<[Payload, readonly string[]]>([
    [{ kind: 'page', item: 'x' }, []],
    [{ kind: 'page', item: null }, []],
    [{ kind: null }, []],
    [{ slug: 'a' }, []],
    [{ item: 'x' }, [needsCollection]],
    [{ kind: 'page' }, ['"kind" is set together with "item"']],
    [{ kind: 'pair' }, [noSuchCollection]],
  ])('is changed together with its collection: %j', (payload, want) => {
    expect(updateReasons(payload)).toEqual(want);
  });

  it('names both fields only to callers who may write them', () => {
    const kind = [{ action: 'update', fields: ['kind'] }];
    const item = [{ action: 'update', fields: ['item'] }];
    expect(createReasons({ kind: 'pair' }, [{ fields: ['kind', 'item'] }])).toEqual([noSuchCollection]);
    expect(createReasons({ kind: 'pair' }, [{ fields: ['kind'] }])).toEqual([part('kind')]);
    expect(createReasons({ kind: 'page' }, [{ fields: ['kind'] }])).toEqual([]);
    expect(createReasons({ item: 'x' }, [{ fields: ['item'] }])).toEqual([part('item')]);
    expect(updateReasons({ kind: 'page' }, kind)).toEqual([part('kind')]);
    expect(updateReasons({ kind: null }, kind)).toEqual([]);
    expect(updateReasons({ item: 'x' }, item)).toEqual([part('item')]);
    expect(updateReasons({ item: null }, item)).toEqual([]);
  });

  it('may take its collection from a preset', () => {
    expect(createReasons({ item: 'x' }, [{ presets: { kind: 'page' } }])).toEqual([]);
    expect(createReasons({ item: 'x' }, [{ fields: ['item'], presets: { kind: 'page' } }])).toEqual([]);
    expect(createReasons({ item: 'x' }, [{ presets: { kind: 'pair' } }])).toEqual([noSuchCollection]);
  });
});

describe('the key of an item of several collections', () => {
  const targetOf = (name: string): ToOne => block.anyTargets.get(name) as ToOne;
  const work = block.relations.get('work') as ToOne;

  it('is stored as text where its field is text', () => {
    expect(toStoredKey(targetOf('item:work'), 5)).toBe('5');
    expect(toStoredKey(targetOf('uid:work'), 5)).toBe('5');
    expect(toStoredKey(targetOf('number:work'), 5)).toBe(5);
    expect(toStoredKey(work, 5)).toBe(5);
  });

  it('is read as the key of its collection, and is none where that cannot be', () => {
    expect(fromStoredKey(targetOf('item:work'), '5')).toBe(5);
    expect(fromStoredKey(targetOf('item:page'), '5')).toBe('5');
    expect(fromStoredKey(targetOf('item:work'), 'x')).toBeNull();
    expect(fromStoredKey(work, 'x')).toBe('x');
  });
});
