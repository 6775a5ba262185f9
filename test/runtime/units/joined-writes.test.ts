/** Plans of writes as a whole: several creates in one, and the collections that plans change. */
import { describe, expect, it } from 'vitest';
import type { Collection } from '../../../contract/collection.js';
import { mergeCreates } from '../../../runtime/plan/merge-creates.js';
import type { CreatePlan, ListPlan, Refusal } from '../../../runtime/plan/write-plan.js';
import { writtenCollections, type WrittenPlan } from '../../../runtime/plan/written-collections.js';
import { create } from './member-plans.js';

/** A plan of as many rows, the parts of which have these row indexes and a name. */
const planWith = (name: string, rowCount: number, indexes: readonly number[]): CreatePlan => {
  const parts = indexes.map((rowIndex) => ({ rowIndex, name })) as never;
  const lists = indexes.map((ownerIndex) => ({ ownerIndex, name })) as never;
  const rows = Array.from({ length: rowCount }, (_, index) => new Map([['label', `${name}${index}`]]));
  return { ...create('team', []), rows, parents: parts, lists, stored: parts, references: parts };
};

const joinThree = (): CreatePlan => {
  const first = planWith('a', 2, [1]);
  return mergeCreates(first, [first, planWith('b', 1, []), planWith('c', 2, [0, 1])]);
};

describe('creates that are joined', () => {
  it('have the rows of all in their order', () => {
    const joined = joinThree();
    expect(joined.rows.map((row) => row.get('label'))).toEqual(['a0', 'a1', 'b0', 'c0', 'c1']);
    expect(joined.collection.name).toBe('team');
  });

  it.each(['parents', 'stored', 'references'] as const)(
    'have %s that name the rows by their new index',
    (name) => {
      expect(joinThree()[name]).toEqual([
        { rowIndex: 1, name: 'a' },
        { rowIndex: 3, name: 'c' },
        { rowIndex: 4, name: 'c' },
      ]);
    },
  );

  it('have lists that name their owners by their new index', () => {
    expect(joinThree().lists).toEqual([
      { ownerIndex: 1, name: 'a' },
      { ownerIndex: 3, name: 'c' },
      { ownerIndex: 4, name: 'c' },
    ]);
  });

  it('stay as they are where there is one', () => {
    const plan = planWith('a', 2, [1]);
    expect(mergeCreates(plan, [plan])).toBe(plan);
  });
});

const refusal: Refusal = { problems: [] };

const collectionOf = (name: string) => ({ name }) as Collection;

const writes = (name: string, below: Partial<WrittenPlan> = {}): never =>
  ({ collection: collectionOf(name), parents: [], lists: [], ...below }) as never;

const list = (name: string, parts: Partial<ListPlan> = {}): ListPlan =>
  ({ relation: { collection: collectionOf(name) }, creates: null, updates: [], ...parts }) as never;

const changedBy = (...plans: Parameters<typeof writtenCollections>[0]): readonly string[] =>
  [...writtenCollections(plans)].map(({ name }) => name);

describe('the collections that a write may change', () => {
  it('are those of its plans, without the refused ones', () => {
    expect(changedBy(writes('a'), null, refusal, writes('b'))).toEqual(['a', 'b']);
    expect(changedBy()).toEqual([]);
  });

  it('are those of rows that others refer to, whether they are changed or created', () => {
    const parents = [
      { update: writes('b'), create: refusal },
      { update: null, create: writes('c') },
    ] as never;
    expect(changedBy(writes('a', { parents }))).toEqual(['a', 'b', 'c']);
  });

  it('are those of lists, even where rows are only removed', () => {
    expect(changedBy(writes('a', { lists: [list('b')] }))).toEqual(['a', 'b']);
  });

  it('are those below the rows of lists, however these are written', () => {
    const below = (name: string): never => writes('row', { lists: [list(name)] });
    const updates = [
      { update: below('changed'), move: refusal, create: null },
      { update: null, move: below('moved'), create: refusal },
      { update: null, move: refusal, create: below('created') },
    ] as never;
    const lists = [list('row', { creates: below('new'), updates })];
    expect(changedBy(writes('a', { lists })).filter((name) => name !== 'row')).toEqual([
      'a',
      'new',
      'changed',
      'moved',
      'created',
    ]);
  });
});
