/** Which keys of a payload are checked against the rows that the caller may read, as plans. */
import { describe, expect, it } from 'vitest';
import { createRegistry, defineCollection, manyToAny, manyToOne } from '../../../contract/collection.js';
import { integer, string } from '../../../contract/fields.js';
import { createPolicyIndex } from '../../../runtime/access/policies.js';
import { planCreate } from '../../../runtime/plan/write.js';
import { writing, type Given, type Payload } from './member-plans.js';

const registry = createRegistry([
  defineCollection({
    name: 'author',
    path: '/items/author',
    key: ['id'],
    fields: { id: integer(), name: string() },
  }),
  defineCollection({
    name: 'svc_users',
    path: '/users',
    key: ['id'],
    fields: { id: string(), email: string() },
  }),
  defineCollection({
    name: 'tag',
    path: '/items/tag',
    key: ['id'],
    fields: { id: string() },
  }),
  defineCollection({
    name: 'shelf',
    path: '/items/shelf',
    key: ['room', 'number'],
    fields: { room: integer(), number: integer() },
  }),
  defineCollection({
    name: 'book',
    path: '/items/book',
    key: ['id'],
    fields: {
      id: integer(),
      author: integer({ nullable: true }),
      loose: integer({ nullable: true }),
      holder: string({ nullable: true }),
      address: string({ nullable: true }),
      tag: string({ nullable: true }),
      room: integer({ nullable: true }),
      number: integer({ nullable: true }),
      item: string({ nullable: true }),
      kind: string({ nullable: true }),
    },
    relations: {
      author: manyToOne('author', ['author'], ['id']),
      loose: manyToOne('author', ['loose'], ['id'], { unconstrained: true }),
      holder: manyToOne('svc_users', ['holder'], ['id']),
      address: manyToOne('svc_users', ['address'], ['email']),
      tag: manyToOne('tag', ['tag'], ['id']),
      shelf: manyToOne('shelf', ['room', 'number'], ['room', 'number']),
      item: manyToAny('item', 'kind', ['author', 'tag']),
    },
  }),
]);

type Permissions = readonly (Given & { readonly collection: string })[];

const everything = { policy: 'p', permissions: null, validation: null, presets: null, fields: ['*'] };

/** The checks of a new book, each as the relation's name with the rows of its target and those of books. */
const checksOf = (payload: Payload, permissions?: Permissions, user: string | null = 'ann') => {
  const policies = createPolicyIndex({
    version: '1',
    roles: [],
    policies: [{ id: 'p', admin: permissions === undefined }],
    access: [{ policy: 'p', role: null, user: 'ann' }],
    permissions: [{ collection: 'book', action: 'create' }, ...(permissions ?? [])].map((given) =>
      Object.assign({ action: 'read' }, everything, given),
    ),
  }).policiesOf({ id: 'ann', role: null, status: 'active', columns: {} });
  const book = registry.collections.get('book');
  if (book === undefined) throw new Error('there is no book');
  const context = writing(policies);
  const plan = planCreate(book, [{ id: 1, ...payload }], { ...context, fills: { ...context.fills, user } });
  return plan.references.map(({ check }) => [
    check.relation.name,
    check.readable.kind,
    check.readableStored.kind,
  ]);
};

const rule = { name: { _eq: 'a' } };
const allAuthors = { collection: 'author' };
const someAuthors = { collection: 'author', permissions: rule };

describe('the key of a relation', () => {
  it('to users is checked for a caller who is none', () => {
    expect(checksOf({ holder: 'ann' }, [])).toEqual([]);
    expect(checksOf({ holder: 'ann' }, [], null)).toEqual([['holder', 'false', 'false']]);
  });

  it.each<[string, Payload, Permissions | undefined, readonly unknown[]]>([
    ['is not checked for an administrator', { author: 1 }, undefined, []],
    ['is not checked where every key is readable', { author: 1 }, [allAuthors], []],
    ['is checked against a rule', { author: 1 }, [someAuthors], [['author', 'compare', 'false']]],
    [
      'is compared with the stored key where that is readable',
      { author: 1 },
      [someAuthors, { collection: 'book' }],
      [['author', 'compare', 'true']],
    ],
    [
      'is compared with the stored key of some rows',
      { author: 1 },
      [someAuthors, { collection: 'book', permissions: { loose: { _eq: 1 } } }],
      [['author', 'compare', 'compare']],
    ],
    [
      'is not compared with a stored key that is not readable',
      { author: 1 },
      [someAuthors, { collection: 'book', fields: ['id'] }],
      [['author', 'compare', 'false']],
    ],
    [
      'is checked against the rows in which its field is readable',
      { author: 1 },
      [
        { collection: 'author', permissions: rule, fields: ['id'] },
        { collection: 'author', fields: ['name'] },
      ],
      [['author', 'compare', 'false']],
    ],
    ['is checked where one of its columns is set', { room: 1 }, [], [['shelf', 'false', 'false']]],
    ['is refused where nothing is readable', { author: 1 }, [], [['author', 'false', 'false']]],
    [
      'is refused where the key field is not readable',
      { author: 1 },
      [{ collection: 'author', fields: ['name'] }],
      [['author', 'false', 'false']],
    ],
    ['is not checked where it is null', { author: null }, [], []],
    ['is not checked where it is absent', {}, [], []],
    ['is not checked without a foreign key', { loose: 1 }, [], []],
    ['is not checked for the own user', { holder: 'ann' }, [], []],
    ['is checked for another user', { holder: 'bob' }, [], [['holder', 'false', 'false']]],
    ['is checked where it equals that of the own user', { tag: 'ann' }, [], [['tag', 'false', 'false']]],
    [
      'is checked for a user by anything but the key',
      { address: 'ann' },
      [],
      [['address', 'false', 'false']],
    ],
  ])('%s', (_, payload, permissions, checks) => {
    expect(checksOf(payload, permissions)).toEqual(checks);
  });
});

it('the key of the own user is not checked, in whatever case the database spells it', () => {
  expect(checksOf({ holder: 'ann' }, [], 'ANN')).toEqual([]);
});

describe('the key of an item of any collection', () => {
  const item = { item: '1', kind: 'author' };

  it.each<[string, Payload, Permissions | undefined, readonly unknown[]]>([
    [
      'is checked for an administrator, as there is no foreign key',
      item,
      undefined,
      [['item:author', 'true', 'true']],
    ],
    ['is checked against a rule', item, [someAuthors], [['item:author', 'compare', 'false']]],
    [
      'is not compared with a stored key whose collection is not readable',
      item,
      [someAuthors, { collection: 'book', fields: ['id', 'item'] }],
      [['item:author', 'compare', 'false']],
    ],
    ['is not checked where it is an object', { item: { name: 'a' }, kind: 'author' }, undefined, []],
    ['is not checked where it is null', { item: null, kind: null }, undefined, []],
    ['is not checked where it is null in a collection', { item: null, kind: 'author' }, undefined, []],
    ['is not checked where it is absent', {}, undefined, []],
  ])('%s', (_, payload, permissions, checks) => {
    expect(checksOf(payload, permissions)).toEqual(checks);
  });
});
