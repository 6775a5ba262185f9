/** Selections as columns, and as the template that makes JSON of them. */
import { describe, expect, it } from 'vitest';
import type { FieldNode } from '../../../runtime/request/query.js';
import { emptyQuery, planRead } from '../../../runtime/plan/read.js';
import { compileRead } from '../../../runtime/sql/read.js';
import { columnsOf } from '../../../runtime/sql/select.js';
import {
  collectionOf,
  compile,
  dialects,
  policiesOf,
  printTokens,
  render,
  type CompileOptions,
} from './compiled.js';

/** Columns and template of a selection. */
const selectionOf = (collection: string, fields: readonly string[], options?: CompileOptions) => {
  const { read, values } = compile(collection, { fields, limit: -1, sort: [] }, options);
  const statement = render(read.rows.statement, values) ?? '';
  return {
    columns: statement.replace(/^select (.*?) from .*$/, '$1'),
    json: printTokens(read.rows.tokens),
    tokens: read.rows.tokens.length,
  };
};

describe('a selection', () => {
  it('is an object of its columns', () => {
    expect(selectionOf('book', ['title', 'pages'])).toEqual({
      columns: 't0."title", t0."pages"',
      json: '{"title":<title>,"pages":<pages>}',
      tokens: 5,
    });
  });

  it('shows only whether a concealed or hashed column has a value', () => {
    expect(selectionOf('book', ['secret', 'pin']).columns).toBe(
      'case when t0."secret" is not null then 1 end, case when t0."pin" is not null then 1 end',
    );
  });

  it('shows a partly hidden column on the other rows', () => {
    const permissions = [
      { collection: 'book', fields: ['code'] },
      { collection: 'book', fields: ['title', 'secret'], permissions: { lent: { _eq: true } } },
    ];
    expect(selectionOf('book', ['title', 'secret'], { permissions }).columns).toBe(
      'case when t0."lent" = ? then t0."title" end,' +
        ' case when t0."lent" = ? then case when t0."secret" is not null then 1 end end',
    );
  });

  it('has a marker before a related row that can be missing', () => {
    expect(selectionOf('book', ['shelf.label', 'title'])).toEqual({
      columns: 't1."id", t1."label", t0."title"',
      json: '{"shelf":<marker, else skip 3 tokens, 1 columns>{"label":<label>},"title":<title>}',
      tokens: 8,
    });
  });

  it('uses the first column of the related row as marker if it is the key', () => {
    expect(selectionOf('book', ['shelf.id', 'shelf.label'])).toEqual({
      columns: 't1."id", t1."label"',
      json: '{"shelf":<shared, else skip 5 tokens, 2 columns>{"id":<id>,"label":<label>}}',
      tokens: 8,
    });
  });

  it('does not share a marker that depends on more than the key', () => {
    const { read, values } = compile('book', {
      fields: ['shelf.id'],
      limit: -1,
      deep: { shelf: { _filter: { room: 'a' } } },
    });
    expect(render(read.rows.statement, values)).toBe(
      'select case when t1."room" = ? then t1."id" end, t1."id" from "book" t0' +
        ' left join "shelf" t1 on t1."id" = t0."shelf" order by t0."code" -- "a"',
    );
    expect(printTokens(read.rows.tokens)).toContain('<marker, else skip 3 tokens, 1 columns>{"id":<id>}');
  });

  it('nests related rows in related rows', () => {
    expect(selectionOf('book', ['sequel.shelf.label', 'sequel.title'])).toEqual({
      columns: 't1."code", t2."id", t2."label", t1."title"',
      json:
        '{"sequel":<marker, else skip 8 tokens, 3 columns>' +
        '{"shelf":<marker, else skip 3 tokens, 1 columns>{"label":<label>},"title":<title>}}',
      tokens: 11,
    });
  });

  it('has the key of the row for a nested list', () => {
    expect(selectionOf('book', ['notes.text', 'title'])).toEqual({
      columns: 't0."code", t0."title"',
      json: '{"notes":<list 0 by 1>,"title":<title>}',
      tokens: 5,
    });
    expect(selectionOf('loan', ['fines.cents']).json).toBe('{"fines":<list 0 by 2>}');
  });

  it('has a marker for a partly hidden list', () => {
    const permissions = [
      { collection: 'book', fields: ['code'] },
      { collection: 'book', fields: ['loans'], permissions: { lent: { _eq: true } } },
      { collection: 'loan' },
    ];
    expect(selectionOf('book', ['loans.reader'], { permissions })).toEqual({
      columns: 'case when t0."lent" = ? then 1 end, t0."code"',
      json: '{"loans":<marker, else skip 1 tokens, 1 columns><list 0 by 1>}',
      tokens: 4,
    });
  });
});

/** Keys, which a list without named fields selects. */
const keysOf = (collection: string, list: string, options?: CompileOptions) => {
  const [rows] = compile(collection, { fields: [list] }, options).read.rows.lists;
  const branch = rows === undefined ? '' : (render(rows.statement.plain, [], ['a']) ?? '');
  return { columns: /^select (.*?) from/.exec(branch)?.[1], json: printTokens(rows?.tokens ?? []) };
};

describe('a list of keys', () => {
  it('has a key of one column as its value', () => {
    expect(keysOf('book', 'notes')).toEqual({ columns: 't1."code" as c0, t0."id" as c1', json: '<id>' });
  });

  it('has the columns of a composite key as one value', () => {
    expect(keysOf('book', 'loans')).toEqual({
      columns: 't1."code" as c0, t0."book" as c1, t0."day" as c2',
      json: '<key book,day>',
    });
  });

  it('hides a key if a part of it is hidden', () => {
    const permissions = [
      { collection: 'book' },
      { collection: 'loan', fields: ['book'] },
      { collection: 'loan', fields: ['day'], permissions: { reader: { _eq: 'a' } } },
    ];
    expect(keysOf('book', 'loans', { permissions }).columns).toBe(
      't1."code" as c0, case when t0."reader" = ? then t0."book" end as c1,' +
        ' case when t0."reader" = ? then t0."day" end as c2',
    );
  });
});

/** The selection of nodes that only GraphQL makes. */
const readNodes = (fields: readonly FieldNode[], dialect: keyof typeof dialects = 'sqlite') => {
  const plan = planRead({ ...emptyQuery, fields, limit: 'all' }, collectionOf('book'), {
    policies: policiesOf(),
    maxDepth: 10,
  });
  const limits = { fallback: 1, maximum: null, nestedRows: null };
  return compileRead(plan, { dialect: dialects[dialect], limits }).rows;
};

const selectNodes = (fields: readonly FieldNode[]) => {
  const rows = readNodes(fields);
  return { sql: render(rows.statement, []), json: printTokens(rows.tokens), tokens: rows.tokens.length };
};

const constant = (as: string): FieldNode => ({ name: '', as, children: [], constant: '"book"' });

describe('constants', () => {
  it('are merged with adjacent text', () => {
    expect(
      selectNodes([constant('a'), { name: 'title', children: [] }, constant('b'), constant('c')]),
    ).toEqual({
      sql: 'select t0."title" from "book" t0 order by t0."code"',
      json: '{"a":"book","title":<title>,"b":"book","c":"book"}',
      tokens: 3,
    });
  });

  it('need no column', () => {
    expect(selectNodes([constant('a')])).toEqual({
      sql: 'select 1 from "book" t0 order by t0."code"',
      json: '{"a":"book"}',
      tokens: 1,
    });
  });

  it('are not merged across the end of a related row, which can be skipped', () => {
    const shelf = { name: 'shelf', children: [constant('a')] };
    expect(selectNodes([shelf, constant('b')])).toMatchObject({
      json: '{"shelf":<marker, else skip 1 tokens, 0 columns>{"a":"book"},"b":"book"}',
      tokens: 4,
    });
  });
});

describe('a group of columns', () => {
  const group: FieldNode = {
    name: 'about',
    isGroup: true,
    children: [{ name: 'count(notes)', as: 'notes', children: [] }, constant('type')],
  };

  it('is an object of the same row', () => {
    expect(selectNodes([group, { name: 'title', children: [] }])).toMatchObject({
      sql:
        'select (select count(*) from "note" t1 where t1."book" = t0."code"), t0."title" from "book" t0' +
        ' order by t0."code"',
      json: '{"about":{"notes":<count(notes)>,"type":"book"},"title":<title>}',
    });
  });
});

it('a list of constants has a column besides the key of the parent', () => {
  const notes = { name: 'notes', children: [constant('a')] };
  const branchOn = (dialect: keyof typeof dialects): string | null => {
    const [list] = readNodes([notes], dialect).lists;
    return render(list?.statement.plain ?? null, [], ['c1']);
  };
  expect(branchOn('postgres')).toContain('cross join lateral (select 1 as c0 from "note" t0');
  expect(branchOn('sqlite')).toContain('select t1."code" as c0 from "note" t0');
});

const restrict: CompileOptions['restrict'] = (plan) => ({
  ...plan,
  select: { kind: 'object', entries: [] },
});

it('an object without entries is {}', () => {
  expect(selectionOf('book', [], { restrict }).json).toBe('{}');
});

const columns = (count: number) => Array.from({ length: count }, () => ['a']);

it('a select has at most 1980 columns', () => {
  expect(columnsOf({ columns: columns(1_980) })).not.toEqual([]);
  expect(() => columnsOf({ columns: columns(1_981) })).toThrow('selects more than 1980 columns');
});
