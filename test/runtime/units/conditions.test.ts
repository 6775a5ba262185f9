/** Filters and rules as the conditions of a statement. */
import { describe, expect, it } from 'vitest';
import type { ToOne } from '../../../contract/collection.js';
import { conditionTrue } from '../../../runtime/plan/types.js';
import { createCompiler, createScope, joinRelation } from '../../../runtime/sql/condition.js';
import { createTableScope } from '../../../runtime/sql/table-scope.js';
import { collectionOf, dialects, statementOf, type CompileOptions } from './compiled.js';
import { codeOf } from './refusals.js';

/** SQL after FROM, up to ORDER BY. */
const conditionOf = (
  collection: string,
  filter: Readonly<Record<string, unknown>>,
  options?: CompileOptions,
): string =>
  statementOf(
    collection,
    { fields: collectionOf(collection).key.map(({ name }) => name), filter, limit: -1 },
    options,
  )
    .replace(/^.*? from /, '')
    .replace(/ order by [^-]+(?=$|-- )/, ' ')
    .trim();

const chainOf = (length: number): string =>
  conditionOf('book', { _or: Array.from({ length }, () => ({ title: 'a' })) }).split(' -- ')[0] ?? '';

describe('a filter on a column', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ title: { _eq: 'a' } }, 't0."title" = ? -- "a"'],
    [{ title: { _neq: 'a' } }, 't0."title" <> ? -- "a"'],
    [{ bought: { _lt: '2020-01-02' } }, 't0."bought" < ? -- "2020-01-02"'],
    [{ bought: { _lte: '2020-01-02' } }, 't0."bought" <= ? -- "2020-01-02"'],
    [{ bought: { _gt: '2020-01-02' } }, 't0."bought" > ? -- "2020-01-02"'],
    [{ bought: { _gte: '2020-01-02' } }, 't0."bought" >= ? -- "2020-01-02"'],
    [{ title: { _in: ['a', 'b'] } }, 't0."title" in (?, ?) -- "a", "b"'],
    [{ title: { _nin: ['a', 'b'] } }, 't0."title" not in (?, ?) -- "a", "b"'],
    [{ pages: { _between: [1, 2] } }, 't0."pages" between ? and ? -- 1n, 2n'],
    [{ pages: { _nbetween: [1, 2] } }, 't0."pages" not between ? and ? -- 1n, 2n'],
    [{ bought: { _null: true } }, 't0."bought" is null'],
    [{ bought: { _nnull: true } }, 'not (t0."bought" is null)'],
    [{ title: { _empty: true } }, '(t0."title" is null or t0."title" = \'\')'],
    [{ title: { _nempty: true } }, 'not ((t0."title" is null or t0."title" = \'\'))'],
  ])('%j is %s', (filter, want) => {
    expect(conditionOf('book', filter)).toBe(`"book" t0 where ${want}`);
  });

  it.each<[string, string, string]>([
    ['_contains', 'glob ?', '*a%*'],
    ['_icontains', 'like', '%a!%%'],
    ['_starts_with', 'glob ?', 'a%*'],
    ['_istarts_with', 'like', 'a!%%'],
    ['_ends_with', 'glob ?', '*a%'],
    ['_iends_with', 'like', '%a!%'],
  ])('%s matches a pattern with the escaped text', (operator, kind, pattern) => {
    const like = `lower(t0."title") like lower(?) escape '!'`;
    const where = kind === 'like' ? like : `t0."title" ${kind}`;
    expect(conditionOf('book', { title: { [operator]: 'a%' } })).toBe(
      `"book" t0 where ${where} -- "${pattern}"`,
    );
  });

  it.each(['a_b', 'a%b', 'a!b'])('escapes the special character of %s', (text) => {
    const escaped = text.replace(/[_%!]/, '!$&');
    expect(conditionOf('book', { title: { _contains: text } }, { dialect: 'mariadb' })).toBe(
      `\`book\` t0 where t0.\`title\` like ? escape '!' -- "%${escaped}%"`,
    );
  });

  it.each([
    ['_lt', '<', 2],
    ['_lte', '<=', 1],
    ['_gt', '>', 1],
    ['_gte', '>=', 2],
    ['_eq', '=', 2 ** 40],
  ])('compares a fraction with an integer by the adjacent whole number: %s', (operator, symbol, bound) => {
    expect(conditionOf('book', { pages: { [operator]: 1.5 } })).toBe(
      `"book" t0 where t0."pages" ${symbol} ? -- ${bound}`,
    );
  });

  it('narrows a range of fractions to whole numbers', () => {
    expect(conditionOf('book', { pages: { _between: [1.5, 3.5] } })).toBe(
      '"book" t0 where t0."pages" between ? and ? -- 2, 3',
    );
  });

  it('joins the parts of "and" and "or"', () => {
    expect(conditionOf('book', { _or: [{ title: 'a' }, { lent: true, title: 'b' }] })).toBe(
      '"book" t0 where (t0."title" = ? or (t0."lent" = ? and t0."title" = ?)) -- "a", 1, "b"',
    );
  });

  it('groups a long chain to limit its nesting', () => {
    const part = 't0."title" = ?';
    const chain = (length: number): string => `(${Array(length).fill(part).join(' or ')})`;
    expect(chainOf(50)).toBe(`"book" t0 where ${chain(50)}`);
    expect(chainOf(51)).toBe(`"book" t0 where (${[...Array(25).fill(chain(2)), chain(1)].join(' or ')})`);
  });
});

const found = (search: string): string => statementOf('note', { fields: ['id'], limit: -1, search });

describe('a search', () => {
  it('contains the text in any case, or equals columns for which it is a valid value', () => {
    const where = `lower(t0."book") like lower(?) escape '!' or lower(t0."text") like lower(?) escape '!'`;
    expect(found('5%')).toBe(
      `select t0."id" from "note" t0 where (t0."id" = ? or ${where}) order by t0."id" -- null, "%5!%%", "%5!%%"`,
    );
    expect(found('5')).toContain('-- 5n, "%5%", "%5%"');
  });
});

const linksOf = (length: number) =>
  Array.from({ length }, (_, index) => ({ [`link${index}`]: { label: 'a' } }));

describe('a filter on related rows', () => {
  it('joins a row once, and rows of a path in order', () => {
    const filter = { sequel: { shelf: { label: 'a', room: 'b' }, title: 'c' } };
    expect(conditionOf('book', filter)).toBe(
      '"book" t0 left join "book" t1 on t1."code" = t0."sequel" left join "shelf" t2 on t2."id" = t1."shelf"' +
        ' where (t1."title" = ? and (t2."label" = ? and t2."room" = ?)) -- "c", "a", "b"',
    );
  });

  it('joins by every column of a key', () => {
    expect(conditionOf('fine', { loan: { reader: 'a' } })).toBe(
      '"fine" t0 left join "loan" t1 on t1."book" = t0."book" and t1."day" = t0."day" where t1."reader" = ? -- "a"',
    );
    expect(conditionOf('loan', { fines: { cents: 5 } })).toBe(
      '"loan" t0 where exists (select 1 from "fine" t1 where t1."book" = t0."book" and t1."day" = t0."day" and t1."cents" = ?) -- 5n',
    );
  });

  it('tests for a row of a list, with its own joins', () => {
    expect(conditionOf('book', { notes: { _none: { book: { title: 'a' } } } })).toBe(
      '"book" t0 where not (exists (select 1 from "note" t1 left join "book" t2 on t2."code" = t1."book"' +
        ' where t1."book" = t0."code" and t2."title" = ?)) -- "a"',
    );
    expect(conditionOf('book', { notes: { _null: false } })).toBe(
      '"book" t0 where exists (select 1 from "note" t1 where t1."book" = t0."code")',
    );
  });

  it('tests a list only on rows on which the caller can read it', () => {
    const permissions = [
      { collection: 'note' },
      { collection: 'loan' },
      { collection: 'book', fields: ['code'] },
      { collection: 'book', fields: ['loans'], permissions: { lent: { _eq: true } } },
    ];
    expect(conditionOf('note', { book: { loans: { reader: 'a' } } }, { permissions })).toBe(
      '"note" t0 left join "book" t1 on t1."code" = t0."book" where ((t1."lent" = ?) is true' +
        ' and exists (select 1 from "loan" t2 where t2."book" = t1."code" and t2."reader" = ?)) -- 1, "a"',
    );
  });

  it('joins at most 58 rows', () => {
    expect(codeOf(() => conditionOf('hub', { _or: linksOf(58) }))).toBeNull();
    expect(() => conditionOf('hub', { _or: linksOf(59) })).toThrow(
      'reaches more than 58 related items of a row',
    );
  });

  it('counts a row once, even if it is reached twice', () => {
    const links = Array.from({ length: 58 }, (_, index) => ({ [`link${index}`]: { label: 'a' } }));
    expect(codeOf(() => conditionOf('hub', { _or: [...links, { link7: { room: 'b' } }] }))).toBeNull();
  });
});

describe('a rule', () => {
  it('that does not apply to the caller matches no row', () => {
    const permissions = [{ collection: 'book', permissions: { missing: { _eq: 1 } } }];
    expect(conditionOf('book', {}, { permissions })).toBe('"book" t0 where 1 = 0');
  });

  it('reads other rows in a subquery, which every clause accepts', () => {
    const permissions = [{ collection: 'note', permissions: { book: { shelf: { room: { _eq: 'a' } } } } }];
    expect(conditionOf('note', {}, { permissions })).toBe(
      '"note" t0 where (select t2."room" from "book" t1 join "shelf" t2 on t2."id" = t1."shelf"' +
        ' where t1."code" = t0."book") = ? -- "a"',
    );
  });

  it('tests a list of another row in a subquery', () => {
    const permissions = [
      { collection: 'note', permissions: { book: { loans: { _some: { reader: { _eq: 'a' } } } } } },
    ];
    expect(conditionOf('note', {}, { permissions })).toBe(
      '"note" t0 where exists (select 1 from "book" t1 where t1."code" = t0."book"' +
        ' and exists (select 1 from "loan" t2 where t2."book" = t1."code" and t2."reader" = ?)) -- "a"',
    );
  });

  it('tests a list of its own row', () => {
    const permissions = [{ collection: 'book', permissions: { loans: { _some: { reader: { _eq: 'a' } } } } }];
    expect(conditionOf('book', {}, { permissions })).toBe(
      '"book" t0 where exists (select 1 from "loan" t1 where t1."book" = t0."code" and t1."reader" = ?) -- "a"',
    );
  });

  it('of a related row is part of its join, as a boolean on MySQL', () => {
    const permissions = [
      { collection: 'book' },
      { collection: 'shelf', permissions: { room: { _eq: 'a' } } },
    ];
    const filter = { shelf: { label: 'b' } };
    expect(conditionOf('book', filter, { permissions })).toBe(
      '"book" t0 left join "shelf" t1 on t1."id" = t0."shelf" and t1."room" = ? where t1."label" = ? -- "a", "b"',
    );
    expect(conditionOf('book', filter, { permissions, dialect: 'mysql' })).toContain(
      'on t1.`id` = t0.`shelf` and (t1.`room` = ?) <=> true where',
    );
  });

  it('of a relation is a condition on the referring row', () => {
    const permissions = [
      { collection: 'book', fields: ['code'] },
      { collection: 'book', fields: ['shelf'], permissions: { lent: { _eq: true } } },
      { collection: 'shelf' },
    ];
    expect(conditionOf('book', { shelf: { label: 'b' } }, { permissions })).toBe(
      '"book" t0 left join "shelf" t1 on t1."id" = t0."shelf" and t0."lent" = ? where t1."label" = ? -- 1, "b"',
    );
  });

  it('of a column makes it null in filters on other rows', () => {
    const permissions = [
      { collection: 'book', fields: ['code'] },
      { collection: 'book', fields: ['title'], permissions: { lent: { _eq: true } } },
    ];
    expect(conditionOf('book', { title: 'a' }, { permissions })).toBe(
      '"book" t0 where case when t0."lent" = ? then t0."title" end = ? -- 1, "a"',
    );
  });
});

describe('a column whose comparison differs from that of its text', () => {
  const genre = { genre: 'a' };

  it('is converted if the database requires it', () => {
    expect(conditionOf('shelf', genre, { dialect: 'postgres' })).toBe(
      '"shelf" t0 where cast(t0."genre" as text) = ? -- "a"',
    );
    expect(conditionOf('shelf', genre, { dialect: 'sqlite' })).toBe('"shelf" t0 where t0."genre" = ? -- "a"');
  });

  it('is converted for _empty', () => {
    expect(conditionOf('shelf', { genre: { _empty: true } }, { dialect: 'postgres' })).toBe(
      '"shelf" t0 where (cast(t0."genre" as text) is null or cast(t0."genre" as text) = \'\')',
    );
  });
});

it('a scope knows the relations on the way from its table', () => {
  const book = collectionOf('book');
  const [sequel, shelf] = ['sequel', 'shelf'].map((name) => ({
    relation: book.relations.get(name) as ToOne,
    where: conditionTrue,
    rule: null,
  }));
  if (sequel === undefined || shelf === undefined) throw new Error('there is no relation');
  const scopes = [createScope(createCompiler(dialects.sqlite)), createTableScope(book, dialects.sqlite)];
  for (const scope of scopes) {
    const { trail, joins } = joinRelation(joinRelation(scope, sequel), shelf);
    expect([trail, ...joins.keys()]).toEqual(['\0sequel\0shelf', '\0sequel', '\0sequel\0shelf']);
  }
});
