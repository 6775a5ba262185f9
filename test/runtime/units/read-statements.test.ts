/** Queries as statements: pages, orders, counts and nested lists. */
import { describe, expect, it } from 'vitest';
import { compile, inputOf, render, statementOf, type CompileOptions } from './compiled.js';
import { orderByKeys, restrictToItems } from '../../../runtime/plan/item.js';
import type { compileRead } from '../../../runtime/sql/read.js';

/** SQL after the columns of a log, the only collection without a key. */
const pageOf = (query: Readonly<Record<string, unknown>>, maximum: number | null): string =>
  statementOf('log', query, { limits: { fallback: 100, maximum, nestedRows: null } })
    .replace(/.*"line"/, '')
    .trim();
const limitOf = (dialect: CompileOptions['dialect']): string =>
  statementOf('log', { limit: 5, offset: 3 }, { dialect }).replace(/.* limit/, 'limit');

const byTwoKeys: CompileOptions['restrict'] = (plan) => ({ ...restrictToItems(plan, 2), limit: 'unlimited' });

describe('a page', () => {
  it.each<[Record<string, unknown>, number | null, string]>([
    [{}, null, 'limit ? -- 100n'],
    [{}, 50, 'limit ? -- 50n'],
    [{}, 200, 'limit ? -- 100n'],
    [{ limit: 5 }, null, 'limit ? -- 5n'],
    [{ limit: 50 }, 50, 'limit ? -- 50n'],
    [{ limit: -1 }, null, ''],
    [{ limit: -1 }, 50, 'limit ? -- 50n'],
    [{ offset: 3 }, null, 'limit ? offset ? -- 100n, 3n'],
    [{ page: 3 }, null, 'limit ? offset ? -- 100n, 200n'],
    [{ page: 3 }, 50, 'limit ? offset ? -- 50n, 100n'],
    [{ page: 3, limit: 10 }, null, 'limit ? offset ? -- 10n, 20n'],
    [{ page: 1, limit: 10 }, null, 'limit ? offset ? -- 10n, 0n'],
    [{ page: 0, limit: 10 }, null, 'limit ? offset ? -- 10n, 0n'],
    [{ limit: -1, offset: 3 }, null, 'limit ? offset ? -- 9007199254740991n, 3n'],
    [{ limit: -1, page: 2 }, null, 'limit ? offset ? -- 9007199254740991n, 9007199254740991n'],
  ])('of %j, where the maximum is %j, is "%s"', (query, maximum, want) => {
    expect(pageOf(query, maximum)).toBe(want);
  });

  it('by number takes precedence over the rows to skip', () => {
    expect(pageOf({ page: 3, limit: 10, offset: 7 }, null)).toBe('limit ? offset ? -- 10n, 20n');
  });

  it('cannot be larger than the maximum', () => {
    expect(() => pageOf({ limit: 51 }, 50)).toThrow('"limit" may be 50 at most');
  });
  it('has its limit in the text on PostgreSQL, and bound elsewhere', () => {
    expect(limitOf('postgres')).toBe('limit 5 offset ? -- 3n');
    expect(['sqlite', 'mariadb', 'mysql'].map((each) => limitOf(each as CompileOptions['dialect']))).toEqual(
      Array(3).fill('limit ? offset ? -- 5n, 3n'),
    );
  });

  it('has every row of given keys regardless of the maximum', () => {
    expect(
      statementOf(
        'note',
        { fields: ['id'] },
        { restrict: byTwoKeys, keys: [1, 2], limits: { fallback: 1, maximum: 1, nestedRows: null } },
      ),
    ).toBe('select t0."id" from "note" t0 where t0."id" in (?, ?) order by t0."id" -- 1n, 2n');
    expect(
      statementOf(
        'note',
        { fields: ['id'], offset: 3 },
        { restrict: byTwoKeys, keys: [1, 2], limits: { fallback: 1, maximum: 1, nestedRows: null } },
      ),
    ).toContain('limit ? offset ? -- 1n, 2n, 9007199254740991n, 3n');
  });
});

/** The terms of ORDER BY. */
const orderOf = (collection: string, query: Readonly<Record<string, unknown>>, options?: CompileOptions) =>
  statementOf(collection, { limit: -1, ...query }, options).replace(/.* order by /, '');

const unsorted: CompileOptions['restrict'] = (plan) => ({ ...plan, order: [] });
const explicitly: CompileOptions['restrict'] = (plan) => orderByKeys(plan, 2);

describe('an order', () => {
  it('continues with the key to be total', () => {
    expect(orderOf('book', { sort: ['-title', 'pages'] })).toBe('t0."title" desc, t0."pages", t0."code"');
    expect(orderOf('book', { sort: ['-code'] })).toBe('t0."code" desc');
  });

  it('puts nulls first on PostgreSQL as elsewhere, and last if descending', () => {
    const sort = ['-bought', 'sequel', 'title', 'shelf.label'];
    expect(orderOf('book', { sort }, { dialect: 'postgres' })).toBe(
      't0."bought" desc nulls last, t0."sequel" nulls first, t0."title", t1."label" nulls first, t0."code"',
    );
    expect(orderOf('book', { sort }, { dialect: 'mysql' })).toBe(
      't0.`bought` desc, t0.`sequel`, t0.`title`, t1.`label`, t0.`code`',
    );
  });

  it('treats a column hidden on some rows as nullable', () => {
    const permissions = [
      { collection: 'book', fields: ['code'] },
      { collection: 'book', fields: ['title'], permissions: { lent: { _eq: true } } },
    ];
    expect(orderOf('book', { sort: ['title'], fields: ['code'] }, { dialect: 'postgres', permissions })).toBe(
      'case when t0."lent" = ? then t0."title" end nulls first, t0."code" -- 1',
    );
  });

  it('converts a column without an order of its own', () => {
    expect(orderOf('book', { sort: ['-facts'] }, { dialect: 'postgres' })).toBe(
      'cast(t0."facts" as text) desc nulls last, t0."code"',
    );
  });

  it('by keys follows the given keys', () => {
    const { read, values } = compile('note', { fields: ['id'], limit: -1 }, { restrict: explicitly });
    expect(render(read.rows.statement, values, [7, 3])).toBe(
      'select t0."id" from "note" t0 order by case when t0."id" = ? then 0 when t0."id" = ? then 1 end -- 7n, 3n',
    );
  });

  it('is omitted if there is nothing to sort by', () => {
    expect(statementOf('log', { limit: -1 }, { restrict: unsorted })).toBe('select t0."line" from "log" t0');
  });
});

const countsOf = (query: Readonly<Record<string, unknown>>, options?: CompileOptions) => {
  const { read, values } = compile('book', { fields: ['title'], ...query }, options);
  return read.counts.map(({ keys, statement }) => [keys.join(), render(statement, values)]);
};

describe('counts', () => {
  it('are one statement without a filter', () => {
    expect(countsOf({ meta: ['*'] })).toEqual([
      ['total_count,filter_count', 'select count(*) as count from "book" t0'],
    ]);
  });

  it('are two statements with a filter', () => {
    expect(countsOf({ meta: ['*'], filter: { lent: true } })).toEqual([
      ['total_count', 'select count(*) as count from "book" t0'],
      ['filter_count', 'select count(*) as count from "book" t0 where t0."lent" = ? -- 1'],
    ]);
  });

  it('join the tables of the filter', () => {
    expect(countsOf({ meta: ['filter_count'], filter: { shelf: { room: 'a' } } })).toEqual([
      [
        'filter_count',
        'select count(*) as count from "book" t0 left join "shelf" t1 on t1."id" = t0."shelf" where t1."room" = ? -- "a"',
      ],
    ]);
  });

  it('never count rows that the caller may not read', () => {
    const permissions = [{ collection: 'book', permissions: { lent: { _eq: true } } }];
    expect(countsOf({ meta: ['total_count'], filter: { title: 'a' } }, { permissions })).toEqual([
      ['total_count', 'select count(*) as count from "book" t0 where t0."lent" = ? -- 1'],
    ]);
  });
});

interface ListOptions extends CompileOptions {
  readonly keys?: readonly string[];
  readonly deep?: Readonly<Record<string, unknown>>;
}

/** The forms of the first nested list: one scan, and a select or a row of a lateral join for each parent. */
const listOf = (
  collection: string,
  field: string,
  { keys = ['a'], deep = {}, ...options }: ListOptions = {},
) => {
  const { read, values } = compile(collection, { fields: [field], deep }, options);
  const [list] = read.rows.lists;
  if (list === undefined) throw new Error('there is no list');
  return {
    scan: render(list.scan?.guarded.plain ?? null, values, keys),
    bounded: render(list.scan?.bounded ?? null, values, keys),
    branches: render(list.statement.plain, values, keys),
    keyColumns: list.keyColumns,
  };
};

const unsortedLists: CompileOptions['restrict'] = (plan) => withoutOrder(plan);

describe('a nested list', () => {
  it('compares an integer foreign key directly', () => {
    expect(listOf('shelf', 'books.title', { keys: ['1', '2'] })).toMatchObject({
      scan:
        'select t0."shelf", t0."title" from "book" t0 where t0."shelf" in (?, ?)' +
        ' and not exists (select 1 from "shelf" t1 where t1."id" in (?, ?)' +
        ' and (select 1 from "book" t2 where t2."shelf" = t1."id" limit 1 offset 100) = 1)' +
        ' order by t0."shelf", t0."code" -- 1n, 2n, 1n, 2n',
      branches:
        'select * from (select t0."shelf" as c0, t0."title" as c1 from "book" t0 where t0."shelf" = ?' +
        ' order by t0."code" limit ?) as b0 union all ' +
        'select * from (select t0."shelf" as c0, t0."title" as c1 from "book" t0 where t0."shelf" = ?' +
        ' order by t0."code" limit ?) as b1 -- 1n, 100n, 2n, 100n',
      keyColumns: 1,
    });
  });

  it('joins the parent if foreign key and key can differ in spelling', () => {
    expect(listOf('book', 'notes.text').scan).toBe(
      'select t1."code", t0."text" from "note" t0 join "book" t1 on t1."code" = t0."book"' +
        ' where t1."code" in (?) and not exists (select 1 from "book" t2 where t2."code" in (?)' +
        ' and (select 1 from "note" t3 where t3."book" = t2."code" limit 1 offset 100) = 1)' +
        ' order by t1."code", t0."id" -- "a", "a"',
    );
  });

  it('joins the parent if the foreign key has no type and can be a text', () => {
    expect(listOf('crate', 'items.id', { keys: ['1'] }).scan).toContain(
      'join "crate" t1 on t1."id" = t0."crate"',
    );
    expect(listOf('crate', 'tags.id', { keys: ['1'] }).scan).not.toContain('join');
  });

  it('joins the parent if one of several columns can differ in spelling', () => {
    expect(listOf('seat', 'tickets.id', { keys: ['["1","a"]'] }).scan).toContain(
      'join "seat" t1 on t1."row" = t0."row" and t1."letter" = t0."letter" where (t1."row", t1."letter") in',
    );
  });

  it('puts rows without a position last', () => {
    expect(listOf('crate', 'tags.id', { keys: ['1'] }).scan).toContain(
      'order by t0."crate", t0."rank" is null, t0."rank", t0."id"',
    );
  });

  it('compares every column of a composite key', () => {
    const keys = ['["a","2020-01-01"]', '["b","2020-01-02"]'];
    const { scan, branches, keyColumns } = listOf('loan', 'fines.cents', { keys });
    expect(scan).toBe(
      'select t1."book", t1."day", t0."cents" from "fine" t0' +
        ' join "loan" t1 on t1."book" = t0."book" and t1."day" = t0."day"' +
        ' where (t1."book", t1."day") in ((?, ?), (?, ?))' +
        ' and not exists (select 1 from "loan" t2 where (t2."book", t2."day") in ((?, ?), (?, ?))' +
        ' and (select 1 from "fine" t3 where t3."book" = t2."book" and t3."day" = t2."day" limit 1 offset 100) = 1)' +
        ' order by t1."book", t1."day", t0."id" -- "a", "2020-01-01", "b", "2020-01-02", "a", "2020-01-01", "b", "2020-01-02"',
    );
    expect(branches).toContain(
      '(select t1."book" as c0, t1."day" as c1, t0."cents" as c2 from "fine" t0' +
        ' join "loan" t1 on t1."book" = t0."book" and t1."day" = t0."day"' +
        ' where t1."book" = ? and t1."day" = ? order by t0."id" limit ?) as b0',
    );
    expect(keyColumns).toBe(2);
  });

  it('is a lateral join on PostgreSQL, with the keys as one array unless they have several columns', () => {
    expect(listOf('book', 'notes.text', { dialect: 'postgres', keys: ['a', 'b"c'] })).toMatchObject({
      scan: null,
      branches:
        'select t2."code" as k0, r.* from "book" t2 cross join lateral' +
        ' (select t0."text" as c0 from "note" t0 where t0."book" = t2."code" order by t0."id" limit 100) as r' +
        ' where t2."code" = any(?) -- "{\\"a\\",\\"b\\\\\\"c\\"}"',
    });
    const pair = listOf('loan', 'fines.cents', { dialect: 'postgres', keys: ['["a","2020-01-01"]'] });
    expect(pair.branches).toMatch(/^select t2."book" as k0, t2."day" as k1, r\.\* from "loan" t2 cross join/);
    expect(pair.branches).toContain('where (t2."book", t2."day") in ((?, ?))');
  });

  it.each([
    [{}, null, 100],
    [{ _limit: 2 }, null, 2],
    [{}, 50, 50],
  ])('of %j keeps as many rows per parent as its limit, where the maximum is %j', (books, maximum, want) => {
    const limits = { fallback: 100, maximum, nestedRows: null };
    const { read, values } = compile('shelf', { fields: ['books.title'], deep: { books } }, { limits });
    expect(read.rows.lists.map((list) => list.limit(inputOf(values)))).toEqual([want]);
  });

  it('is limited to the rows that the answer has left', () => {
    const { read, values } = compile('shelf', { fields: ['books.title'] });
    const [list] = read.rows.lists;
    const input = { ...inputOf(values, ['1', '2']), maxRows: 17 };
    const rendered = [list?.scan?.guarded, list?.statement].map((each) => each?.capped.render(input));
    expect(rendered.map((each) => each?.text.endsWith(' limit ?'))).toEqual([true, true]);
    expect(rendered.map((each) => each?.values.at(-1))).toEqual([18n, 18n]);
  });

  it('has a scan without guard where an index has its order', () => {
    expect(listOf('shelf', 'books.title', { keys: ['1', '2'] }).bounded).toBe(
      'select t0."shelf", t0."title" from "book" t0 where t0."shelf" in (?, ?)' +
        ' order by t0."shelf", t0."code" limit ? -- 1n, 2n, 9007199254740991n',
    );
    const sorted = (sort: string) => listOf('shelf', 'books.title', { deep: { books: { _sort: [sort] } } });
    const hidden = [
      { collection: 'shelf' },
      { collection: 'book', fields: ['title', 'shelf', 'sequel'] },
      { collection: 'book', fields: ['code'], permissions: { lent: { _eq: true } } },
    ];
    expect(['code', '-code', 'title', 'sequel.code'].map((sort) => sorted(sort).bounded === null)).toEqual([
      false,
      true,
      true,
      true,
    ]);
    const twice = { books: { _sort: ['code', 'title'] } };
    expect(listOf('shelf', 'books.title', { deep: twice }).bounded).toBeNull();
    const own = { books: { _sort: ['code'] } };
    expect(listOf('shelf', 'books.title', { deep: own, permissions: hidden }).bounded).toBeNull();
    expect(listOf('book', 'notes.text').bounded).toBeNull();
    expect(listOf('shelf', 'books.title', { deep: { books: { _limit: -1 } } }).bounded).toBeNull();
  });

  it('filters and sorts its rows, with joins of their own', () => {
    const deep = { notes: { _filter: { book: { title: 'x' } }, _sort: ['-text'] } };
    expect(listOf('book', 'notes.text', { deep }).scan).toBe(
      'select t1."code", t0."text" from "note" t0 join "book" t1 on t1."code" = t0."book"' +
        ' left join "book" t2 on t2."code" = t0."book" where t1."code" in (?) and t2."title" = ?' +
        ' and not exists (select 1 from "book" t3 where t3."code" in (?)' +
        ' and (select 1 from "note" t4 where t4."book" = t3."code" limit 1 offset 100) = 1)' +
        ' order by t1."code", t0."text" desc, t0."id" -- "a", "x", "a"',
    );
  });

  it.each([
    ['a limit', { _limit: 2 }, ' limit ? -- "a", 2n'],
    ['rows to skip', { _offset: 1 }, ' limit ? offset ? -- "a", 100n, 1n'],
    ['a page', { _page: 3 }, ' limit ? offset ? -- "a", 100n, 200n'],
  ])('with %s of its own has a branch for each parent and no scan', (_, parameters, want) => {
    const { scan, branches } = listOf('book', 'notes.text', { deep: { notes: parameters } });
    expect(scan).toBeNull();
    expect(branches).toContain(want);
  });

  it('without a limit reads everything unless there is a maximum', () => {
    const deep = { notes: { _limit: -1 } };
    const open = listOf('book', 'notes.text', { deep });
    expect([open.scan?.includes('exists'), open.branches?.includes('limit')]).toEqual([false, false]);
    const limits = { fallback: 100, maximum: 50, nestedRows: null };
    const limited = listOf('book', 'notes.text', { deep, limits });
    expect([limited.scan?.includes('offset 50) = 1'), limited.branches?.split(' -- ')[1]]).toEqual([
      true,
      '"a", 50n',
    ]);
  });

  it('of rows without a key is ordered by parents only', () => {
    const { scan, branches } = listOf('book', 'notes.text', { restrict: unsortedLists });
    expect(scan).toMatch(/ order by t1."code" -- /);
    expect(branches).toContain('where t1."code" = ? limit ?');
  });
});

type Plan = Parameters<typeof compileRead>[0];

/** The plan with lists that have no order. */
const withoutOrder = (plan: Plan): Plan => {
  if (plan.select.kind === 'key') return plan;
  const entries = plan.select.entries.map((entry) =>
    entry.kind === 'many' ? { ...entry, plan: { ...entry.plan, order: [] } } : entry,
  );
  return { ...plan, select: { ...plan.select, entries } };
};
