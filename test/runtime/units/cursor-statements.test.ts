/** Pages by keyset as statements: the rows after a cursor, each with the values of its sort keys behind it. */
import { describe, expect, it } from 'vitest';
import { planCursor } from '../../../runtime/plan/cursor.js';
import type { SqlDialect } from '../../../runtime/databases/contract.js';
import type { Entry } from '../../../runtime/plan/types.js';
import { addCursor, comparesAsItSorts, compileSelect } from '../../../runtime/sql/select.js';
import { createCompiler, createScope } from '../../../runtime/sql/condition.js';
import { compile, dialects, fieldOf, inputOf, planOf, printTokens, render } from './compiled.js';

type Query = Readonly<Record<string, unknown>>;

interface Options {
  /** Which keys of the cursor are null; `null` for the first page. */
  readonly nulls?: readonly boolean[] | null;
  readonly keys?: readonly unknown[];
  readonly maximum?: number | null;
}

/** The page after a cursor. */
const pageOf = (query: Query, { nulls = null, keys = [], maximum = null }: Options = {}) => {
  const limits = { fallback: 100, maximum, nestedRows: null };
  const { read, values } = compile('book', query, { limits, restrict: (plan) => planCursor(plan, nulls) });
  const { rows, order } = read;
  return { rows, order, values, sql: render(rows.statement, values, keys) };
};

describe('a page with a cursor', () => {
  it('has the sort keys of each row behind it, as a list that is not part of the answer', () => {
    const { sql, rows } = pageOf({ fields: ['title'], sort: ['-pages'] });
    expect(sql).toBe(
      'select t0."title", t0."pages", t0."code" from "book" t0 order by t0."pages" desc, t0."code" limit ? -- 101n',
    );
    expect(printTokens(rows.tokens)).toBe('{"title":<title>}<end>[<pages>,<code>]');
  });

  it('keeps the lists of its rows', () => {
    const { rows } = pageOf({ fields: ['notes.text', 'title'] });
    expect(rows.lists).toHaveLength(1);
    expect(printTokens(rows.tokens)).toBe('{"notes":<list 0 by 1>,"title":<title>}<end>[<code>]');
  });

  it('begins after the given keys, in rows of the filter', () => {
    const query = { fields: ['title'], sort: ['code'], filter: { lent: true } };
    expect(pageOf(query, { nulls: [false], keys: ['c7'] }).sql).toBe(
      'select t0."title", t0."code" from "book" t0 where (t0."lent" = ? and t0."code" > ?)' +
        ' order by t0."code" limit ? -- 1, "c7", 101n',
    );
  });

  it('joins the rows that its keys are in', () => {
    expect(pageOf({ fields: ['title'], sort: ['shelf.label'] }).sql).toBe(
      'select t0."title", t1."label", t0."code" from "book" t0 left join "shelf" t1 on t1."id" = t0."shelf"' +
        ' order by t1."label", t0."code" limit ? -- 101n',
    );
  });

  it.each<[Query, number | null, number, bigint]>([
    [{}, null, 100, 101n],
    [{ limit: 5 }, null, 5, 6n],
    [{ limit: 5 }, 5, 5, 6n],
    [{ limit: -1 }, 50, 50, 51n],
  ])('of %j, where the maximum is %j, keeps %i rows and reads one more', (query, maximum, kept, read) => {
    const { rows, values } = pageOf({ fields: ['title'], ...query }, { maximum });
    expect(rows.limit?.(inputOf(values))).toBe(kept);
    expect(rows.statement.render(inputOf(values)).values).toEqual([read]);
  });

  it('has the order for which the cursor is valid', () => {
    expect(pageOf({ sort: ['-pages'] }).order).toBe('["book",["pages",null,true],["code",null,false]]');
  });
});

it('a page without a cursor keeps all rows that it reads, and nothing follows them', () => {
  const { rows, order } = compile('book', { fields: ['title'] }).read;
  expect([rows.limit, order, printTokens(rows.tokens)]).toEqual([null, null, '{"title":<title>}']);
});

/** Returns of which of two columns a cursor can follow the order. */
const sortsOn = (dialect: keyof typeof dialects): readonly boolean[] =>
  ['genre', 'label'].map((name) => comparesAsItSorts(fieldOf('shelf', name), dialects[dialect]));

describe('a cursor', () => {
  it('is refused for a key that compares in another way than it sorts', () => {
    const plan = planOf('shelf', { fields: ['id'], sort: ['genre'] });
    const add = (dialect: keyof typeof dialects) => {
      const scope = createScope(createCompiler(dialects[dialect]));
      return addCursor(compileSelect(plan.select, scope), plan.order, scope);
    };
    expect(() => add('postgres')).toThrow('a cursor cannot follow the order of "genre"');
    expect(printTokens(add('sqlite').tokens)).toBe('{"id":<id>}<end>[<genre>,<id>]');
  });

  it('follows what needs no conversion to be compared', () => {
    expect(sortsOn('postgres')).toEqual([false, true]);
    expect(sortsOn('sqlite')).toEqual([true, true]);
    const suffixed: SqlDialect = { ...dialects.postgres, asText: () => ['', '::text'] };
    expect(comparesAsItSorts(fieldOf('shelf', 'genre'), suffixed)).toBe(false);
  });

  it('leaves the selection as it is for other statements', () => {
    const plan = planOf('book', { fields: ['title'] });
    const scope = createScope(createCompiler(dialects.sqlite));
    const select = compileSelect(plan.select, scope);
    addCursor(select, plan.order, scope);
    expect([select.columns.length, printTokens(select.tokens)]).toEqual([1, '{"title":<title>}']);
  });

  it('begins a text of its own, even behind a text', () => {
    const constant: Entry = { kind: 'constant', name: 'a', json: '1' };
    const plan = planOf('book', { fields: [] });
    const scope = createScope(createCompiler(dialects.sqlite));
    const select = compileSelect({ kind: 'object', entries: [constant] }, scope);
    expect(addCursor(select, plan.order, scope).tokens.map(({ kind }) => kind)).toEqual([
      'literal',
      'end',
      'literal',
      'value',
      'literal',
    ]);
  });
});
