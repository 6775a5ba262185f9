/** Conditions on lists: IN where the database evaluates EXISTS for every row, EXISTS where IN could be unknown. */
import { describe, expect, it } from 'vitest';
import { statementOf, type CompileOptions } from './compiled.js';

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

it('is EXISTS below a negation, which must not be unknown', () => {
  expect(whereOf({ books: { _none: { lent: true } } }, 'mariadb')).toMatch(/^not \(exists /);
  const inner = whereOf({ books: { notes: { _none: { text: 'a' } } } }, 'mariadb');
  expect(inner).toMatch(/^t0.`id` in \(.* where not \(exists /);
});

it('is EXISTS for keys of several columns', () => {
  expect(whereOf({ loans: { fines: { cents: 1 } } }, 'mariadb', 'book')).toContain('exists');
});
