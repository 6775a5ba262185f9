/** Responses to creates: which lists of a new row are empty without a look at the database. */
import { describe, expect, it } from 'vitest';
import {
  createRegistry,
  defineCollection,
  manyToOne,
  oneToMany,
  type Collection,
} from '../../../contract/collection.js';
import { integer, string } from '../../../contract/fields.js';
import { isKeyGenerated, withEmptyLists } from '../../../runtime/plan/create-response.js';
import { planRead } from '../../../runtime/plan/read.js';
import type { ReadPlan } from '../../../runtime/plan/types.js';
import { readQuery } from '../../../runtime/request/query.js';
import { policiesOf, type ReadPermission } from './compiled.js';

const lists = {
  items: oneToMany('item', ['crate'], ['id']),
  others: oneToMany('item', ['other'], ['id']),
  marked: oneToMany('item', ['mark'], ['label']),
  loose: oneToMany('item', ['loose'], ['id']),
  boxed: oneToMany('item', ['box'], ['id']),
  children: oneToMany('crate', ['parent'], ['id']),
};

const crate = {
  path: null,
  key: ['id'],
  fields: { id: integer({ auto: true }), label: string(), parent: integer({ nullable: true }) },
  relations: { ...lists, parent: manyToOne('crate', ['parent'], ['id']) },
};

const { collections } = createRegistry([
  defineCollection({ name: 'crate', ...crate }),
  defineCollection({
    name: 'watched',
    ...crate,
    relations: { items: oneToMany('item', ['watched'], ['id']) },
    triggers: true,
  }),
  defineCollection({
    name: 'named',
    path: null,
    key: ['id'],
    fields: { id: string() },
    relations: { items: oneToMany('item', ['named'], ['id']) },
  }),
  defineCollection({
    name: 'pair',
    path: null,
    key: ['id', 'part'],
    fields: { id: integer({ auto: true }), part: integer() },
    relations: { items: oneToMany('item', ['pair', 'part'], ['id', 'part']) },
  }),
  defineCollection({ name: 'box', path: null, key: ['id'], fields: { id: integer({ auto: true }) } }),
  defineCollection({
    name: 'item',
    path: null,
    key: ['id'],
    fields: {
      id: integer({ auto: true }),
      crate: integer(),
      other: integer(),
      mark: string(),
      loose: integer(),
      box: integer(),
      watched: integer(),
      named: string(),
      pair: integer(),
      part: integer(),
    },
    relations: {
      crate: manyToOne('crate', ['crate'], ['id']),
      other: manyToOne('crate', ['other'], ['id']),
      mark: manyToOne('crate', ['mark'], ['label']),
      loose: manyToOne('crate', ['loose'], ['id'], { unconstrained: true }),
      box: manyToOne('box', ['box'], ['id']),
      watched: manyToOne('watched', ['watched'], ['id']),
      named: manyToOne('named', ['named'], ['id']),
      pair: manyToOne('pair', ['pair', 'part'], ['id', 'part']),
    },
  }),
]);

const collectionOf = (name: string): Collection => collections.get(name) as Collection;

const planOf = (name: string, fields: readonly string[], permissions?: readonly ReadPermission[]): ReadPlan =>
  planRead(readQuery({ fields }).query, collectionOf(name), {
    policies: policiesOf(permissions),
    maxDepth: 10,
  });

/** The entries of the plan for a new row: lists that are known to be empty as `name=[]`. */
const entriesOf = (plan: ReadPlan): readonly string[] => {
  const { select } = withEmptyLists(plan);
  return select.kind === 'key'
    ? ['key']
    : select.entries.map((entry) => (entry.kind === 'constant' ? `${entry.name}=${entry.json}` : entry.name));
};

describe('the response to a create', () => {
  it('has empty lists of rows that a foreign key leads to the generated key', () => {
    expect(entriesOf(planOf('crate', ['id', 'items.id', 'others', 'label']))).toEqual([
      'id',
      'items=[]',
      'others=[]',
      'label',
    ]);
  });

  it.each([
    ['of rows that refer to something else than the key', 'crate', 'marked'],
    ['without a foreign key', 'crate', 'loose'],
    ['whose foreign key leads to another collection', 'crate', 'boxed'],
    ['of the same collection, whose rows may refer to themselves', 'crate', 'children'],
    ['of a collection with triggers', 'watched', 'items'],
    ['of a collection whose keys clients choose', 'named', 'items'],
    ['of a collection of whose key only a part is generated', 'pair', 'items'],
  ])('reads lists %s', (_, collection, list) => {
    expect(entriesOf(planOf(collection, [list]))).toEqual([list]);
  });

  it('reads lists that are visible on some rows only', () => {
    const permissions = [
      { collection: 'crate', fields: ['id'] },
      { collection: 'crate', fields: ['items'], permissions: { label: { _eq: 'a' } } },
      { collection: 'item' },
    ];
    expect(entriesOf(planOf('crate', ['items'], permissions))).toEqual(['items']);
  });

  it('keeps everything else of the plan', () => {
    const plan = planOf('crate', ['id', 'items']);
    expect({ ...withEmptyLists(plan), select: plan.select }).toEqual(plan);
    const keyed: ReadPlan = { ...plan, select: { kind: 'key', fields: [], rule: null } };
    expect(withEmptyLists(keyed)).toEqual(keyed);
  });
});

it.each<[string, Readonly<Record<string, number>>, boolean]>([
  ['crate', {}, true],
  ['crate', { parent: 1 }, true],
  ['crate', { id: 1 }, false],
  ['named', {}, false],
  ['pair', { part: 1 }, true],
  ['pair', { id: 1 }, false],
])('the database generates the key of a new row without a value for it: %s %j: %s', (name, row, want) => {
  expect(isKeyGenerated(collectionOf(name), new Map(Object.entries(row)))).toBe(want);
});
