/** Many-to-any relations as statements: the items of each target, and filters on one target. */
import { describe, expect, it } from 'vitest';
import type { Field } from '../../../contract/collection.js';
import type { Entry } from '../../../runtime/plan/types.js';
import { compileCondition, createCompiler, createScope } from '../../../runtime/sql/condition.js';
import {
  collectionOf,
  compile,
  dialects,
  inputOf,
  printTokens,
  render,
  statementOf,
  type CompileOptions,
} from './compiled.js';

type Query = Readonly<Record<string, unknown>>;

const fields = ['id', 'target:book.title', 'target:shelf.label'];

/** The statement of the rows, and those of the targets. */
const readOf = (query: Query, options?: CompileOptions) => {
  const { read, values } = compile('odd', { fields, limit: -1, sort: ['id'], ...query }, options);
  return {
    rows: render(read.rows.statement, values),
    tokens: read.rows.tokens,
    lists: read.rows.lists,
    values,
  };
};

type AnyEntry = Extract<Entry, { kind: 'any' }>;

/** Gives the targets another key. */
const withKey = (...key: readonly Field[]): NonNullable<CompileOptions['restrict']> => {
  const withTargets = (entry: AnyEntry): AnyEntry => ({
    ...entry,
    targets: entry.targets.map((target) => ({
      ...target,
      plan: { ...target.plan, collection: { ...target.plan.collection, key } },
    })),
  });
  return (plan) => {
    const entries = plan.select.kind === 'object' ? plan.select.entries : [];
    const changed = entries.map((entry) => (entry.kind === 'any' ? withTargets(entry) : entry));
    return { ...plan, select: { kind: 'object', entries: changed } };
  };
};

describe('the item of a many-to-any relation', () => {
  it('is found by the columns that name its collection and its key', () => {
    const { rows, tokens } = readOf({});
    expect(rows).toBe('select t0."id", t0."kind", t0."target" from "odd" t0 order by t0."id"');
    expect(printTokens(tokens)).toBe('{"id":<id>,"target":<any book,0 shelf,1>}');
  });

  it('has an index among all nested reads of the row', () => {
    const { tokens, lists } = readOf({ fields: ['more.id', ...fields] });
    expect(printTokens(tokens)).toBe('{"more":<list 0 by 1>,"id":<id>,"target":<any book,1 shelf,2>}');
    expect(lists).toHaveLength(3);
  });

  it('is hidden in rows in which the relation is hidden', () => {
    const permissions = [
      { collection: 'odd', fields: ['id', 'kind'] },
      { collection: 'odd', fields: ['target'], permissions: { x: { _eq: 'a' } } },
      { collection: 'book' },
      { collection: 'shelf' },
    ];
    expect(readOf({}, { permissions }).rows).toBe(
      'select t0."id", case when t0."x" = ? then t0."kind" end, case when t0."x" = ? then t0."target" end' +
        ' from "odd" t0 order by t0."id" -- "a", "a"',
    );
  });
});

describe('the items of a target', () => {
  it('are read by their keys, many at once, with the key before each', () => {
    const { lists, values } = readOf({});
    expect(lists.map(({ statement }) => render(statement.plain, values, ['1', '2']))).toEqual([
      'select t0."code", t0."title" from "book" t0 where t0."code" in (?, ?) -- "1", "2"',
      'select t0."id", t0."label" from "shelf" t0 where t0."id" in (?, ?) -- 1n, 2n',
    ]);
    expect(
      lists.map(({ maxParents, keyColumns, scan, limit }) => [
        maxParents,
        keyColumns,
        scan,
        limit(inputOf(values)),
      ]),
    ).toEqual([
      [1000, 1, null, 1],
      [1000, 1, null, 1],
    ]);
    expect(lists.map(({ tokens }) => printTokens(tokens))).toEqual([
      '{"title":<title>}',
      '{"label":<label>}',
    ]);
  });

  it('have as many rows as the answer has left', () => {
    const [list] = readOf({}).lists;
    const rendered = list?.statement.capped.render({ ...inputOf([], ['1']), maxRows: 17 });
    expect(rendered).toEqual({
      text: 'select t0."code", t0."title" from "book" t0 where t0."code" in (?) limit ?',
      values: ['1', 18n],
    });
  });

  it('are those of the filter, with its joins', () => {
    const deep = { 'target:book': { _filter: { shelf: { room: 'a' } } } };
    const { lists, values } = readOf({ deep });
    expect(render(lists[0]?.statement.plain ?? null, values, ['1'])).toBe(
      'select t0."code", t0."title" from "book" t0 left join "shelf" t1 on t1."id" = t0."shelf"' +
        ' where t0."code" in (?) and t1."room" = ? -- "1", "a"',
    );
  });

  it('need a key', () => {
    expect(() => readOf({}, { restrict: withKey() })).toThrow('"book" has no key');
  });

  it('have lists of their own', () => {
    const { lists } = readOf({ fields: ['target:book.notes.text', 'target:shelf.label'] });
    expect(lists.map((each) => each.lists.length)).toEqual([1, 0]);
  });
});

describe('a text is a key', () => {
  it.each([
    ['0', true],
    ['12', true],
    ['-1', true],
    ['-0', false],
    ['01', false],
    ['1.5', false],
    ['1a', false],
    ['a1', false],
    ['', false],
    ['2147483648', false],
  ])('of an integer as the database writes it: "%s" %s', (text, want) => {
    const [, shelves] = readOf({}).lists;
    expect(shelves?.isKey?.(text)).toBe(want);
  });

  it('of 64 bits alike', () => {
    const restrict = withKey({ name: 'id', type: 'bigInteger' });
    const [, wide] = readOf({}, { restrict }).lists;
    expect(['2147483648', '01', '1.5'].map((text) => wide?.isKey?.(text))).toEqual([true, false, false]);
  });

  it('of a text if the column can hold it', () => {
    const [books] = readOf({}).lists;
    expect(['01', 'a', 'a'.repeat(21)].map((text) => books?.isKey?.(text))).toEqual([true, true, false]);
  });
});

describe('a filter on one target', () => {
  it('joins its rows by the key, in rows that name it', () => {
    const filter = { 'target:shelf': { label: 'a' } };
    const sql = statementOf('odd', { fields: ['id'], filter, limit: -1, sort: ['id'] }, { dialect: 'mysql' });
    expect(sql).toBe(
      'select t0.`id` from `odd` t0 left join `shelf` t1 on t1.`id` =' +
        " case when cast(t0.`target` as char) regexp '^(0|-?[1-9][0-9]{0,18})$' then cast(t0.`target` as signed) end" +
        ' and t0.`kind` = ? where (t0.`kind` = ? and t1.`label` = ?) order by t0.`id` -- "shelf", "shelf", "a"',
    );
  });

  it('needs a key of the target', () => {
    const step = collectionOf('odd').anyTargets.get('target:shelf');
    if (step === undefined) throw new Error('there is no target');
    const scope = createScope(createCompiler(dialects.sqlite));
    const relation = { ...step, collection: { ...step.collection, key: [] } };
    const path = [{ relation, where: { kind: 'true' }, rule: null }] as const;
    expect(() => compileCondition({ kind: 'at', path, condition: { kind: 'true' } }, scope)).toThrow(
      '"shelf" has no key',
    );
  });
});
