/** Aggregations as statements: of the rows of a collection, and of the rows of a list for each of its parents. */
import { describe, expect, it } from 'vitest';
import type { Collection, Field } from '../../../contract/collection.js';
import { planAggregate, type AggregatePlan } from '../../../runtime/plan/aggregate.js';
import type { Aggregation } from '../../../runtime/request/aggregation.js';
import { readQuery } from '../../../runtime/request/query.js';
import { compileAggregate } from '../../../runtime/sql/aggregate.js';
import {
  collectionOf,
  compile,
  dialects,
  fieldOf,
  inputOf,
  policiesOf,
  printTokens,
  render,
  type CompileOptions,
} from './compiled.js';

type Query = Readonly<Record<string, unknown>>;

interface Options extends Pick<CompileOptions, 'dialect' | 'permissions'> {
  readonly maximum?: number;
  readonly collection?: Collection;
  /** Replaces the outputs that the query has. */
  readonly outputs?: Aggregation['outputs'];
}

/** Plans and compiles an aggregation. */
const aggregate = (name: string, query: Query, options: Options = {}) => {
  const { query: parsed, values } = readQuery({ limit: -1, ...query });
  const { dialect = 'sqlite', permissions, maximum = null, collection = collectionOf(name) } = options;
  const { outputs = parsed.aggregation?.outputs ?? [] } = options;
  const { groupBy = [], having = null } = parsed.aggregation ?? {};
  const plan = planAggregate(
    parsed,
    { outputs, groupBy, having },
    { collection, context: { policies: policiesOf(permissions), maxDepth: 10 } },
  );
  const limits = { fallback: 100, maximum, nestedRows: null };
  return { plan, values, read: compileAggregate(plan, { dialect: dialects[dialect], limits }) };
};

const statementOf = (name: string, query: Query, options?: Options): string | null => {
  const { read, values } = aggregate(name, query, options);
  return render(read.rows.statement, values);
};

/** SQL between SELECT and FROM. */
const columnsOf = (...parameters: Parameters<typeof statementOf>): string | undefined =>
  /^select (.*?) from \(/.exec(statementOf(...parameters) ?? '')?.[1];

/** SQL of the rows that are aggregated. */
const rowsOf = (...parameters: Parameters<typeof statementOf>): string | undefined =>
  / from \((.*?)\) t\d/.exec(statementOf(...parameters) ?? '')?.[1];

/** The terms of ORDER BY. */
const orderOf = (...parameters: Parameters<typeof statementOf>): string | undefined =>
  / order by (.*)$/.exec(statementOf(...parameters) ?? '')?.[1];

const jsonOf = (plan: AggregatePlan): string => {
  const limits = { fallback: 100, maximum: null, nestedRows: null };
  return printTokens(compileAggregate(plan, { dialect: dialects.sqlite, limits }).rows.tokens);
};

describe('an aggregation', () => {
  it('without groups has one row, of all rows', () => {
    expect(statementOf('book', { aggregate: { count: '*' } })).toBe(
      'select count(*) from (select 1 as one from "book" t0) t1',
    );
  });

  it('measures a field once, however often it is named', () => {
    expect(columnsOf('book', { aggregate: { max: ['weight', 'pages', 'weight'] } })).toBe(
      'max(t1.m0), max(t1.m1)',
    );
  });

  it('groups, filters and sorts the rows of a derived table, where each column occurs once', () => {
    const query = {
      groupBy: ['shelf.label', 'title'],
      aggregate: { count: '*', max: ['weight'] },
      filter: { lent: true },
      having: { count: { _gt: 2 }, min: { pages: { _lt: 7 } } },
      sort: ['-max.weight', 'title'],
      limit: 5,
      offset: 10,
    };
    expect(statementOf('book', query)).toBe(
      'select t2.g0, t2.g1, count(*), max(t2.m1)' +
        ' from (select t1."label" as g0, t0."title" as g1, t0."weight" as m1, t0."pages" as m2' +
        ' from "book" t0 left join "shelf" t1 on t1."id" = t0."shelf" where t0."lent" = ?) t2' +
        ' group by t2.g0, t2.g1 having (count(*) > ? and min(t2.m2) < ?)' +
        ' order by max(t2.m1) desc, t2.g1, t2.g0 limit ? offset ? -- 1, 2n, 7n, 5n, 10n',
    );
  });

  it('groups by values that are computed', () => {
    expect(rowsOf('book', { groupBy: ['count(notes)'] })).toBe(
      'select (select count(*) from "note" t1 where t1."book" = t0."code") as g0 from "book" t0',
    );
  });

  it('is limited as a list is', () => {
    const query = { groupBy: ['title'], limit: undefined };
    expect(statementOf('book', query)).toMatch(/ limit \? -- 100n$/);
    expect(statementOf('book', query, { maximum: 50 })).toMatch(/ limit \? -- 50n$/);
  });

  it('aggregates only rows that the caller may read', () => {
    const permissions = [{ collection: 'book', permissions: { lent: { _eq: true } } }];
    expect(statementOf('book', { aggregate: { count: '*' } }, { permissions })).toBe(
      'select count(*) from (select 1 as one from "book" t0 where t0."lent" = ?) t1 -- 1',
    );
  });

  it('counts the rows, not the groups, for `meta`', () => {
    const { read, values } = aggregate('book', { groupBy: ['title'], filter: { lent: true }, meta: ['*'] });
    expect(read.counts.map(({ keys, statement }) => [keys.join(), render(statement, values)])).toEqual([
      ['total_count', 'select count(*) as count from "book" t0'],
      ['filter_count', 'select count(*) as count from "book" t0 where t0."lent" = ? -- 1'],
    ]);
  });

  it('has all rows that the statement returns, without lists, key or cursor', () => {
    const { rows, order } = aggregate('book', { groupBy: ['title'] }).read;
    expect([rows.limit, rows.lists, rows.byKey, order]).toEqual([null, [], false, null]);
  });
});

describe('a measure', () => {
  it.each([
    ['count', 'count(t1.m0)'],
    ['countDistinct', 'count(distinct t1.m0)'],
    ['sum', 'sum(t1.m0)'],
    ['sumDistinct', 'sum(distinct t1.m0)'],
    ['avg', 'avg(t1.m0)'],
    ['avgDistinct', 'avg(distinct t1.m0)'],
    ['min', 'min(t1.m0)'],
    ['max', 'max(t1.m0)'],
  ])('%s of a column is %s', (operation, want) => {
    expect(columnsOf('book', { aggregate: { [operation]: 'weight' } })).toBe(want);
  });

  it('of a masked column knows only whether there is a value', () => {
    const query = { aggregate: { count: ['secret', 'pin', 'title'] } };
    expect(rowsOf('book', query)).toBe(
      'select case when t0."secret" is not null then 1 end as m0,' +
        ' case when t0."pin" is not null then 1 end as m1, t0."title" as m2 from "book" t0',
    );
  });

  it('takes the smallest and the largest of texts, if the values of the column compare in another way', () => {
    const query = { aggregate: { min: 'genre', max: ['label'] } };
    expect(columnsOf('shelf', query, { dialect: 'postgres' })).toBe('min(cast(t1.m0 as text)), max(t1.m1)');
    expect(columnsOf('shelf', query)).toBe('min(t1.m0), max(t1.m1)');
  });

  it('of a masked column has no text to convert to', () => {
    const shelf = collectionOf('shelf');
    const genre: Field = { ...fieldOf('shelf', 'genre'), dbType: 'inet', conceal: true };
    const collection = { ...shelf, fields: new Map(shelf.fields).set('genre', genre) };
    expect(columnsOf('shelf', { aggregate: { min: 'genre' } }, { dialect: 'postgres', collection })).toBe(
      'min(t1.m0)',
    );
  });
});

describe('the order of groups', () => {
  it('ends with the groups that are not sorted by, to be total', () => {
    expect(orderOf('book', { groupBy: ['title', 'pages', 'lent'], sort: ['-pages'] })).toBe(
      't1.g1 desc, t1.g0, t1.g2',
    );
  });

  it('puts nulls first on PostgreSQL as elsewhere, and sorts a group by its type', () => {
    const query = { groupBy: ['title', 'json(facts, a)'], aggregate: { count: '*' } };
    expect(orderOf('book', { ...query, sort: ['-count'] }, { dialect: 'postgres' })).toBe(
      'count(*) desc nulls last, t1.g0 nulls first, cast(t1.g1 as text) nulls first',
    );
  });
});

const constant = { kind: 'constant', as: 'type', json: '"book"' } as const;
const group = { kind: 'groups' } as const;

describe('the JSON of a group', () => {
  it('has the groups by their paths, and the measures below their operations', () => {
    const query = { groupBy: ['shelf.label', 'title'], aggregate: { count: '*', min: ['pages', 'title'] } };
    const { rows } = aggregate('book', query).read;
    expect(printTokens(rows.tokens)).toBe(
      '{"shelf.label":<label>,"title":<title>,"count":<count>,"min":{"pages":<pages>,"title":<title>}}',
    );
  });

  it('has the type of each result', () => {
    const { rows } = aggregate('book', { groupBy: ['lent'], aggregate: { sum: 'pages' } }).read;
    const types = rows.tokens.flatMap((token) => (token.kind === 'value' ? [token.field.type] : []));
    expect(types).toEqual(['boolean', 'bigInteger']);
  });

  it('has its values in the order of the columns, whatever the order of the outputs', () => {
    const measure = { kind: 'measure', as: 'n', measure: { operation: 'count', path: null } } as const;
    const outputs = [measure, { kind: 'object', as: 'by', children: [group, constant] }] as const;
    const { plan, read, values } = aggregate('book', { groupBy: ['title', 'pages'] }, { outputs });
    expect(jsonOf(plan)).toBe('{"n":<count>,"by":{"title":<title>,"pages":<pages>,"type":"book"}}');
    expect(render(read.rows.statement, values)).toContain('select count(*), t1.g0, t1.g1 from');
  });

  it('is one text if no value is in it, of one row without groups', () => {
    const outputs = [
      constant,
      { ...constant, as: 'again' },
      { kind: 'object', as: 'by', children: [] },
    ] as const;
    const { plan, read, values } = aggregate('book', {}, { outputs });
    expect(jsonOf(plan)).toBe('{"type":"book","again":"book","by":null}');
    expect(read.rows.tokens).toHaveLength(1);
    expect(render(read.rows.statement, values)).toMatch(/^select count\(\*\) from \(/);
    expect(jsonOf({ ...plan, shape: [] })).toBe('{}');
  });

  it('merges adjacent texts only', () => {
    const outputs = [constant, group, { ...constant, as: 'end' }] as const;
    const { rows } = aggregate('book', { groupBy: ['title', 'pages'] }, { outputs }).read;
    expect(rows.tokens.map(({ kind }) => kind)).toEqual(['literal', 'value', 'literal', 'value', 'literal']);
  });
});

interface ListOptions extends CompileOptions {
  readonly keys?: readonly string[];
}

/** The compiled aggregation of a list, with its statement. */
const groupsOf = (
  [collection, field]: readonly [string, string],
  parameters: Query,
  { keys = ['1', '2'], ...options }: ListOptions = {},
) => {
  const { read, values } = compile(collection, { fields: [field], deep: { [field]: parameters } }, options);
  const [list] = read.rows.lists;
  if (list === undefined) throw new Error('there is no list');
  return { list, values, sql: render(list.statement.plain, values, keys) };
};

const ofBooks = ['shelf', 'books'] as const;

describe('groups of a list', () => {
  it('are one row of measures for each parent, if it has no rows too', () => {
    expect(groupsOf(ofBooks, { _aggregate: { count: '*', sum: 'weight' } }).sql).toBe(
      'select t1."id", count(t2.one), sum(t2.m1) from "shelf" t1' +
        ' left join (select 1 as one, t0."shelf" as f0, t0."weight" as m1 from "book" t0' +
        ' where t0."shelf" in (?, ?)) t2 on t2.f0 = t1."id"' +
        ' where t1."id" in (?, ?) group by t1."id" order by t1."id" -- 1n, 2n, 1n, 2n',
    );
  });

  it('are the groups that a parent has, in the order of parents', () => {
    const parameters = {
      _groupBy: ['title'],
      _aggregate: { count: '*' },
      _filter: { lent: true },
      _having: { count: { _gt: 1 } },
      _sort: ['-count'],
    };
    expect(groupsOf(ofBooks, parameters).sql).toBe(
      'select t1."id", t2.g0, count(t2.one) from "shelf" t1' +
        ' join (select 1 as one, t0."shelf" as f0, t0."title" as g0 from "book" t0' +
        ' where t0."shelf" in (?, ?) and t0."lent" = ?) t2 on t2.f0 = t1."id"' +
        ' where t1."id" in (?, ?) group by t1."id", t2.g0 having count(t2.one) > ?' +
        ' order by t1."id", count(t2.one) desc, t2.g0 -- 1n, 2n, 1, 1n, 2n, 1n',
    );
  });

  it('compare every column of a key, and only the parents themselves with the keys if it is spelled in several ways', () => {
    const keys = ['["a","2020-01-01"]'];
    const { sql, list } = groupsOf(['loan', 'fines'], { _aggregate: { count: '*' } }, { keys });
    expect(sql).toBe(
      'select t1."book", t1."day", count(t2.one) from "loan" t1' +
        ' left join (select 1 as one, t0."book" as f0, t0."day" as f1 from "fine" t0) t2' +
        ' on t2.f0 = t1."book" and t2.f1 = t1."day" where (t1."book", t1."day") in ((?, ?))' +
        ' group by t1."book", t1."day" order by t1."book", t1."day" -- "a", "2020-01-01"',
    );
    expect(list.keyColumns).toBe(2);
  });

  it('compare only the parents with the keys if one of several columns is a text', () => {
    const keys = ['["1","a"]'];
    const { sql } = groupsOf(['seat', 'tickets'], { _aggregate: { count: '*' } }, { keys });
    expect(sql).toContain('from "ticket" t0) t2');
  });

  it('have as many rows as the answer has left, and per parent as many as the limit', () => {
    const { list, values } = groupsOf(ofBooks, { _groupBy: ['title'], _limit: 3 });
    const { text, values: bound } = list.statement.capped.render({ ...inputOf(values, ['1']), maxRows: 17 });
    expect([text.endsWith(' limit ?'), bound.at(-1)]).toEqual([true, 18n]);
    expect(list.limit(inputOf(values))).toBe(3);
  });

  it('are read for many parents at once, in no other way', () => {
    const { list } = groupsOf(ofBooks, { _aggregate: { count: '*' } });
    expect([list.maxParents, list.scan, list.lists, list.keyColumns]).toEqual([1000, null, [], 1]);
    expect(printTokens(list.tokens)).toBe('{"count":<count>}');
  });
});
