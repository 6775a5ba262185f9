/** Rows of a list that come from elsewhere take the key of their owner, which takes a permission like any value. */
import { describe, expect, it } from 'vitest';
import {
  createRegistry,
  defineCollection,
  oneToMany,
  type Collection,
} from '../../../contract/collection.js';
import { integer, string } from '../../../contract/fields.js';
import { createPolicyIndex } from '../../../runtime/access/policies.js';
import type { Permission } from '../../../runtime/access/grant.js';
import { planUpdates } from '../../../runtime/plan/write.js';
import type { ListUpdate } from '../../../runtime/plan/write-plan.js';
import { createMatcher } from '../../../runtime/plan/matcher.js';

const registry = createRegistry([
  defineCollection({
    name: 'shelf',
    path: '/items/shelf',
    key: ['id'],
    fields: { id: integer() },
    relations: { books: oneToMany('book', ['shelf'], ['id']) },
  }),
  defineCollection({
    name: 'book',
    path: '/items/book',
    key: ['id'],
    fields: { id: integer(), title: string(), shelf: integer({ nullable: true }) },
  }),
]);
const shelf = registry.collections.get('shelf') as Collection;

const permission = (collection: string, parts: Partial<Permission>) => ({
  policy: 'staff',
  collection,
  action: 'update',
  permissions: null,
  validation: null,
  presets: null,
  fields: ['*'],
  ...parts,
});

const user = { id: 'ann', role: null, status: 'active', columns: {} };

/** Plans the lists of a caller who may update books as given, and every shelf. */
const planBooks = (books: unknown, ...permissions: Partial<Permission>[]): readonly ListUpdate[] => {
  const { policiesOf } = createPolicyIndex({
    version: '1',
    roles: [],
    policies: [{ id: 'staff', admin: false }],
    access: [{ policy: 'staff', role: null, user: user.id }],
    permissions: [
      permission('shelf', {}),
      ...permissions.map((parts) => permission('book', parts)),
      permission('book', { action: 'read' }),
    ],
  });
  const [plan] = planUpdates(shelf, [{ key: [1], payload: { books } }], {
    policies: policiesOf(user),
    maxDepth: 10,
    resolve: (value) => value,
    matches: createMatcher(),
    fills: { user: null, now: () => '', uuid: () => '' },
  });
  return plan?.lists[0]?.updates ?? [];
};

/** Codes of why a row may not come from elsewhere; `null`: it may. */
const refusalsOf = ([update]: readonly ListUpdate[]) =>
  update === undefined || !('problems' in update.move) ? null : update.move.problems.map(({ code }) => code);

describe('a row of another owner', () => {
  it.each<[string, unknown, readonly string[], string[] | null]>([
    ['comes with its foreign key', { update: [{ id: 2 }] }, ['shelf'], null],
    ['does not where that may not be updated', { update: [{ id: 2 }] }, ['title'], ['FORBIDDEN']],
    ['does not by its bare key either', { create: [], update: [{ id: 2 }] }, ['title'], ['FORBIDDEN']],
    ['does not with what may be updated', { update: [{ id: 2, title: 'x' }] }, ['title'], ['FORBIDDEN']],
    ['comes with both', { update: [{ id: 2, title: 'x' }] }, ['title', 'shelf'], null],
  ])('%s', (_, books, fields, codes) => {
    expect(refusalsOf(planBooks(books, { fields }))).toEqual(codes);
  });

  it('is not created there without that permission', () => {
    expect(() =>
      planBooks({ create: [{ id: 2, title: 'x' }] }, { action: 'create', fields: ['id', 'title'] }),
    ).toThrow('the field "shelf" does not exist or may not be used for create');
  });

  it('gets the key of its owner, or is updated if it is already listed', () => {
    const [update] = planBooks({ update: [{ id: 2, title: 'x' }] }, {});
    const taken = update !== undefined && 'row' in update.move ? [...update.move.row] : [];
    expect(taken).toEqual([
      ['title', 'x'],
      ['shelf', { from: 'owner', index: 0 }],
    ]);
    expect([...(update?.update?.row ?? [])]).toEqual([['title', 'x']]);
  });

  it('must match the rule of the permission for its foreign key', () => {
    const rule = { title: { _eq: 'loose' } };
    const [update] = planBooks(
      { update: [{ id: 2, title: 'x' }] },
      { fields: ['title'] },
      { fields: ['shelf'], permissions: rule },
    );
    if (update === undefined || !('writtenNames' in update.move)) throw new Error('it is refused');
    expect(update.move.writtenNames).toEqual(['title', 'shelf']);
    expect(JSON.stringify(update.move.where)).toContain('loose');
    expect(JSON.stringify(update.update?.where)).not.toContain('loose');
  });
});
