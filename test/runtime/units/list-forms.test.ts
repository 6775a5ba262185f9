/** Conditions on lists: IN where the database evaluates EXISTS for every row, EXISTS where IN could be unknown. */
import { describe, expect, it } from 'vitest';
import { conditionTrue, type Condition } from '../../../runtime/plan/types.js';
import { createCompiler, createScope } from '../../../runtime/sql/condition.js';
import { listFormOf } from '../../../runtime/sql/list-form.js';
import { dialects, planOf, statementOf, type CompileOptions } from './compiled.js';

const whereOf = (filter: unknown, dialect: CompileOptions['dialect'], collection = 'shelf'): string =>
  /where (.*?) order by/.exec(
    statementOf(collection, { fields: [collection === 'book' ? 'code' : 'id'], filter }, { dialect }),
  )?.[1] ?? '';

const through = { books: { notes: { text: { _eq: 'a' } } } };

describe('a condition through two lists', () => {
  it.each(['mariadb', 'mysql', 'sqlite'] as const)('is two IN on %s', (dialect) => {
    expect(whereOf(through, dialect).replaceAll(/["`]/g, '')).toBe(
      't0.id in (select t1.shelf from book t1 where t1.code in (select t2.book from note t2 where t2.text = ?))',
    );
  });

  it('is two EXISTS on postgres', () => {
    expect(whereOf(through, 'postgres')).toBe(
      'exists (select 1 from "book" t1 where t1."shelf" = t0."id" and' +
        ' exists (select 1 from "note" t2 where t2."book" = t1."code" and t2."text" = ?))',
    );
  });
});

it('is EXISTS through one list on sqlite', () => {
  expect(whereOf({ books: { lent: true } }, 'sqlite')).toMatch(/^exists /);
});

it.each([
  ['and', { books: { _and: [{ lent: true }, { notes: { text: 'a' } }] } }],
  ['or', { books: { _or: [{ notes: { text: 'a' } }, { lent: true }] } }],
  ['a related row', { books: { sequel: { notes: { text: 'a' } } } }],
])('is IN through two lists on sqlite, with %s between them', (_, filter) => {
  expect(whereOf(filter, 'sqlite')).toMatch(/^t0."id" in /);
});

it('is IN through two lists on sqlite, where the inner one belongs to a row that may be missing', () => {
  const { where } = planOf('shelf', { fields: ['id'], filter: through });
  if (where.kind !== 'some') throw new Error('the condition is on no list');
  const scope = createScope(createCompiler(dialects.sqlite));
  const formOf = (inner: Condition) => listFormOf({ ...where, where: inner }, scope);
  expect(formOf({ kind: 'at', path: [], condition: where.where })).toBe('in');
  expect(formOf({ kind: 'at', path: [], condition: conditionTrue })).toBe('exists');
});

it('is IN of all rows where any row will do', () => {
  expect(whereOf({ books: { _null: false } }, 'mariadb')).toBe(
    't0.`id` in (select t1.`shelf` from `book` t1)',
  );
});

it('is EXISTS below a negation, which must not be unknown', () => {
  expect(whereOf({ books: { _none: { lent: true } } }, 'mariadb')).toMatch(/^not \(exists /);
  const inner = whereOf({ books: { notes: { _none: { text: 'a' } } } }, 'mariadb');
  expect(inner).toMatch(/^t0.`id` in \(.* where not \(exists /);
});

it('is EXISTS for keys of several columns', () => {
  expect(whereOf({ loans: { fines: { cents: 1 } } }, 'mariadb', 'book')).toContain('exists');
});

describe('in a rule', () => {
  const withLentBooks = { books: { _some: { lent: { _eq: true } } } };

  it('is EXISTS in a join, whose condition must not be unknown', () => {
    const permissions = [{ collection: 'book' }, { collection: 'shelf', permissions: withLentBooks }];
    const filter = { shelf: { label: 'a' } };
    const sql = statementOf('book', { fields: ['code'], filter }, { dialect: 'mariadb', permissions });
    expect(sql).toContain('on t1.`id` = t0.`shelf` and exists (select 1 from `book` t2 where');
  });

  it('is EXISTS below the path to another row', () => {
    const permissions = [{ collection: 'book', permissions: { shelf: withLentBooks } }];
    const sql = statementOf('book', { fields: ['code'] }, { dialect: 'mariadb', permissions });
    expect(sql).toContain(
      'where exists (select 1 from `shelf` t1 where t1.`id` = t0.`shelf` and exists (select 1 from `book` t2',
    );
  });
});
