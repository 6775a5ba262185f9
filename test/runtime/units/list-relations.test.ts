/** Lists by their relation: rows that leave them, rows whose keys clients choose, and the values of their owner. */
import { describe, expect, it } from 'vitest';
import {
  createRegistry,
  defineCollection,
  oneToMany,
  type Collection,
  type ToMany,
} from '../../../contract/collection.js';
import { integer, string } from '../../../contract/fields.js';
import { listLevel, nameableReferences, type Owner } from '../../../runtime/plan/list-level.js';
import { isDeletedOnRemoval, releasableFields } from '../../../runtime/plan/list-relation.js';
import { noOwner } from '../../../runtime/plan/row-context.js';
import { planUpdates } from '../../../runtime/plan/write.js';
import { policiesOf, writing, type Given } from './member-plans.js';

const { collections } = createRegistry([
  defineCollection({
    name: 'order',
    path: null,
    key: ['shop', 'number'],
    fields: { shop: integer(), number: integer() },
    relations: {
      lines: oneToMany('line', ['shop', 'number'], ['shop', 'number']),
      linked: oneToMany('line', ['shop', 'link'], ['shop', 'number']),
      fixed: oneToMany('line', ['shop', 'fixed'], ['shop', 'number']),
      made: oneToMany('line', ['shop', 'made'], ['shop', 'number']),
      parcels: oneToMany('parcel', ['shop', 'number'], ['shop', 'number'], { sortField: 'rank' }),
    },
  }),
  defineCollection({
    name: 'line',
    path: null,
    key: ['shop', 'number', 'position'],
    fields: {
      shop: integer(),
      number: integer(),
      position: integer(),
      link: integer({ nullable: true }),
      fixed: integer(),
      made: integer({ nullable: true, generated: true }),
      text: string({ nullable: true }),
    },
  }),
  defineCollection({
    name: 'parcel',
    path: null,
    key: ['code'],
    fields: {
      code: string({ length: 3 }),
      shop: integer({ nullable: true }),
      number: integer({ nullable: true }),
      rank: integer({ nullable: true }),
      label: string({ length: 5, nullable: true }),
    },
    relations: { stamps: oneToMany('stamp', ['parcel'], ['code']) },
  }),
  defineCollection({
    name: 'stamp',
    path: null,
    key: ['id'],
    fields: { id: integer({ auto: true }), parcel: string({ nullable: true }) },
  }),
]);

const orders = collections.get('order') as Collection;
const listOf = (name: string): ToMany => orders.relations.get(name) as ToMany;

describe('a row that leaves a list', () => {
  it.each<[string, readonly string[], boolean]>([
    ['lines', [], true],
    ['linked', ['link'], false],
    ['fixed', [], true],
    ['made', [], true],
    ['parcels', ['shop', 'number'], false],
  ])('of %s is released by %j, and deleted: %s', (name, released, isDeleted) => {
    expect(releasableFields(listOf(name)).map((field) => field.name)).toEqual(released);
    expect(isDeletedOnRemoval(listOf(name))).toBe(isDeleted);
  });
});

it('a row that leaves a list by a key of several columns loses those that may be null', () => {
  const context = writing(policiesOf('order'));
  const [plan] = planUpdates(orders, [{ key: [5, 7], payload: { linked: [] } }], context);
  expect(plan?.lists[0]?.removes?.removal).toMatchObject({
    kind: 'release',
    plan: { row: new Map([['link', null]]) },
  });
});

/** The plan of the rows that a list of an order is given. */
const changesOf = (name: string, entries: readonly unknown[], permissions?: readonly Given[]) => {
  const policies = policiesOf(
    'parcel',
    permissions && [...permissions, { collection: 'order', action: 'update' }],
  );
  const [plan] = planUpdates(orders, [{ key: [5, 7], payload: { [name]: entries } }], writing(policies));
  return plan?.lists[0]?.updates ?? [];
};

describe('a row of a list whose key the client chooses', () => {
  const parcel = { code: 'abc', label: 'x' };
  const owned = { shop: { from: 'owner', index: 0 }, number: { from: 'owner', index: 1 } };

  it('may be new, with the key of its owner and its place', () => {
    const [change] = changesOf('parcels', [parcel]);
    expect(change?.create).toMatchObject({
      rows: [new Map(Object.entries({ ...parcel, ...owned, rank: 1 }))],
    });
  });

  it('is not new where it is given by its key alone', () => {
    expect(changesOf('parcels', ['abc'])).toMatchObject([{ key: ['abc'], create: null }]);
  });

  it('has the rows related to it in every case', () => {
    const [change] = changesOf('parcels', [{ ...parcel, stamps: [{}] }]);
    for (const plan of [change?.update, change?.move, change?.create])
      expect(plan).toMatchObject({ lists: [{ relation: { name: 'stamps' } }] });
  });

  it('is not created by a caller who may not, as if its key did not exist', () => {
    const [change] = changesOf('parcels', [parcel], [{ action: 'update' }, { action: 'read' }]);
    expect(change?.update).not.toBeNull();
    expect(change?.create).toBeNull();
  });

  it('keeps its key where it is moved from another list', () => {
    const [change] = changesOf('lines', [{ shop: 5, number: 7, position: 1, text: 'x' }]);
    expect(change?.move).toMatchObject({ row: new Map([['text', 'x']]) });
  });

  it('has the place of its entry in the payload', () => {
    const [, second] = changesOf('parcels', [parcel, { code: 'b' }]);
    expect(second?.location).toMatchObject({ path: ['parcels'], pointer: ['parcels', 1] });
  });
});

describe('the owner of a list', () => {
  const owner: Owner = { collection: orders, rowIndex: 0, row: new Map(), key: [5, 7] };
  const level = {
    path: [],
    pointer: [],
    index: null,
    rowPointers: null,
    positions: null,
    owner: noOwner,
    problems: [],
    writing: writing(policiesOf('order')),
  };

  it('has every part of its key', () => {
    const known = [...listLevel(listOf('parcels'), owner, level).owner].map(([name, value]) => [
      name,
      value.known,
    ]);
    expect(known).toEqual([
      ['shop', 5],
      ['number', 7],
    ]);
  });

  it.each<[string, readonly Given[], readonly string[]]>([
    ['read', [{ action: 'read', fields: ['shop'] }], ['shop']],
    ['change', [{ action: 'update', fields: ['number'] }], ['number']],
    [
      'read or change',
      [
        { action: 'read', fields: ['shop'] },
        { action: 'update', fields: ['number'] },
      ],
      ['shop', 'number'],
    ],
    ['create', [{ action: 'create' }], []],
  ])('is named by the fields that the caller may %s', (_, permissions, names) => {
    const context = writing(policiesOf('order', permissions));
    expect([...nameableReferences(listOf('parcels'), owner, context)]).toEqual(names);
  });
});
