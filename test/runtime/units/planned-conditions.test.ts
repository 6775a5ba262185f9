/** Conditions of queries as plans: related rows, constants, and how many relations they cross. */
import { describe, expect, it } from 'vitest';
import type { ApiError } from '../../../contract/errors.js';
import { planRead } from '../../../runtime/plan/read.js';
import { allOf, anyOf, conditionFalse, conditionTrue } from '../../../runtime/plan/types.js';
import { readQuery } from '../../../runtime/request/query.js';
import { collectionOf, planOf, policiesOf, statementOf } from './compiled.js';

type Query = Readonly<Record<string, unknown>>;

const someNote = (condition: string, alias = 't1'): string =>
  `exists (select 1 from "note" ${alias} where ${alias}."book" = t0."code" and ${condition})`;

describe('conditions on one relation', () => {
  const where = (filter: Query): string =>
    statementOf('book', { fields: ['code'], limit: -1, filter }).replace(/^.*? where (.*) order by .*/, '$1');

  it('apply to one related row if they are side by side', () => {
    const both = someNote('(t1."text" = ? and t1."id" = ?)');
    expect(where({ notes: { text: 'a', id: 5 } })).toBe(both);
    expect(where({ _and: [{ notes: { text: 'a' } }, { notes: { id: 5 } }] })).toBe(both);
    expect(where({ _and: [{ notes: { _and: [{ text: 'a' }] } }, { notes: { id: 5 } }] })).toBe(both);
  });

  it('apply to one row each if each has its own _some', () => {
    expect(where({ _and: [{ notes: { _some: { text: 'a' } } }, { notes: { _some: { id: 5 } } }] })).toBe(
      `(${someNote('t1."text" = ?')} and ${someNote('t2."id" = ?', 't2')})`,
    );
    expect(where({ notes: { _some: { text: 'a' }, _none: { id: 5 } } })).toBe(
      `(${someNote('t1."text" = ?')} and not (${someNote('t2."id" = ?', 't2')}))`,
    );
  });

  it('can be alternatives', () => {
    expect(where({ notes: { _or: [{ text: 'a' }, { id: 5 }] } })).toBe(
      someNote('(t1."text" = ? or t1."id" = ?)'),
    );
    expect(where({ title: { _or: [{ _eq: 'a' }, { _null: true }] } })).toBe(
      '(t0."title" = ? or t0."title" is null)',
    );
    expect(where({ title: { _contains: 'a', _neq: 'b' } })).toBe('(t0."title" glob ? and t0."title" <> ?)');
  });

  it.each<Query>([
    {},
    { _and: [] },
    { _or: [] },
    { notes: {} },
    { notes: { _some: {} } },
    { notes: { _none: {} } },
  ])('are true for every row if they are empty: %j', (filter) => {
    expect(statementOf('book', { fields: ['code'], limit: -1, filter })).not.toContain('where');
  });

  it('are negated as a whole', () => {
    expect(where({ title: { _ncontains: 'a' } })).toBe('not (t0."title" glob ?)');
    expect(where({ notes: { _null: true } })).toBe(
      'not (exists (select 1 from "note" t1 where t1."book" = t0."code"))',
    );
  });
});

describe('constants', () => {
  const column = planOf('note', {}).order[0]?.column;
  if (column === undefined) throw new Error('a note has a key');
  const isNull = { kind: 'null', column } as const;

  it('are removed from "and" and "or", or decide them', () => {
    expect(allOf([])).toBe(conditionTrue);
    expect(allOf([conditionTrue, isNull])).toBe(isNull);
    expect(allOf([isNull, conditionFalse])).toBe(conditionFalse);
    expect(allOf([isNull, conditionTrue, isNull])).toEqual({ kind: 'and', conditions: [isNull, isNull] });
    expect(anyOf([])).toBe(conditionFalse);
    expect(anyOf([conditionFalse, isNull])).toBe(isNull);
    expect(anyOf([isNull, conditionTrue])).toBe(conditionTrue);
    expect(anyOf([isNull, conditionFalse, isNull])).toEqual({ kind: 'or', conditions: [isNull, isNull] });
  });
});

/** A path of so many sequels. */
const sequels = (count: number): string => `${'sequel.'.repeat(count)}title`;

const refusalWithin = (query: Query, maxDepth: number): string | null => {
  try {
    planRead(readQuery(query).query, collectionOf('book'), { policies: policiesOf(), maxDepth });
    return null;
  } catch (error) {
    return (error as ApiError).message;
  }
};

const shelfFilters = (length: number) => ({ _or: Array.from({ length }, () => ({ shelf: { label: 'a' } })) });

describe('the relations of a query', () => {
  it('are at most as deep as the limit', () => {
    expect(refusalWithin({ fields: [sequels(3)] }, 3)).toBeNull();
    expect(refusalWithin({ fields: [sequels(4)] }, 3)).toContain(
      '"sequel.sequel.sequel.sequel" crosses more than 3 relations',
    );
    expect(refusalWithin({ sort: [sequels(4)] }, 3)).toContain('crosses more than 3 relations');
  });

  it('are at most 500', () => {
    expect(refusalWithin({ filter: shelfFilters(500) }, 3)).toBeNull();
    expect(refusalWithin({ filter: shelfFilters(501) }, 3)).toContain(
      'the query crosses relations more than 500 times',
    );
  });
});
