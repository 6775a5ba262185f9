/** Queries as plans: names, permissions, defaults, and what is refused. */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../contract/errors.js';
import {
  missingItem,
  readKey,
  restrictToFirst,
  restrictToItem,
  restrictToItems,
  splitKeyValue,
} from '../../../runtime/plan/item.js';
import { planRead } from '../../../runtime/plan/read.js';
import { allOf, anyOf, conditionFalse, conditionTrue } from '../../../runtime/plan/types.js';
import { readQuery } from '../../../runtime/request/query.js';
import {
  collectionOf,
  compile,
  planOf,
  policiesOf,
  render,
  statementOf,
  type CompileOptions,
  type ReadPermission,
} from './compiled.js';

type Query = Readonly<Record<string, unknown>>;

/** Code and reason of what a query is refused with; `null`: it is planned. */
const refusalOf = (
  collection: string,
  query: Query,
  permissions?: readonly ReadPermission[],
): string | null => {
  try {
    planOf(collection, query, { permissions });
    return null;
  } catch (error) {
    if (error instanceof ApiError) return `${error.code}: ${String(error.details.reason)}`;
    throw error;
  }
};

const missing = (name: string): string => `FORBIDDEN: the field "${name}" does not exist or may not be used`;

describe('a filter is rejected', () => {
  it.each<[Query, string]>([
    [{ _eq: 1 }, 'INVALID_QUERY: "_eq" needs a field around it, as in {"name": {"_eq": …}}'],
    [{ _some: {} }, 'INVALID_QUERY: "_some" stands directly below a to-many relation only'],
    [{ shelf: { _none: {} } }, 'INVALID_QUERY: "_none" needs a to-many relation; "shelf" leads to one item'],
    [{ shelf: { _some: {} } }, 'INVALID_QUERY: "_some" needs a to-many relation; "shelf" leads to one item'],
    [{ title: { _some: {} } }, 'INVALID_QUERY: "title" does not support the operator "_some"'],
    [{ title: { other: 1 } }, missing('title.other')],
    [{ shelf: { title: { other: 1 } } }, missing('shelf.title')],
    [{ missing: 1 }, missing('missing')],
    [{ missing: { other: 1 } }, missing('missing')],
    [{ 'year(bought)': 2020 }, 'INVALID_QUERY: functions such as "year(bought)" are not served'],
    [
      { lent: { _lt: 1 } },
      'INVALID_QUERY: "lent" (boolean) does not support "_lt"; it supports _eq, _neq, _null, _nnull',
    ],
    [
      { notes: { _lt: 5 } },
      'INVALID_QUERY: "_lt" cannot compare the list "notes"; filter one of its fields, as in {"notes": {"id": …}}',
    ],
  ])('%j', (filter, want) => {
    expect(refusalOf('book', { filter })).toBe(want);
  });

  it('through a relation to one of several collections', () => {
    expect(refusalOf('odd', { filter: { target: { title: 1 } } })).toBe(
      'INVALID_QUERY: filters through "target" are not served',
    );
  });
});

describe('a selection is rejected', () => {
  it.each<[string, string, string]>([
    ['book', 'missing', missing('missing')],
    ['book', 'title.other', missing('title.other')],
    ['book', 'shelf.missing', missing('shelf.missing')],
    ['book', 'sequel.shelf.missing', missing('sequel.shelf.missing')],
    ['book', 'count(notes)', 'INVALID_QUERY: functions such as "count(notes)" are not served'],
    ['odd', 'target.title', 'INVALID_QUERY: fields below "target" are not served'],
  ])('%s: %s', (collection, field, want) => {
    expect(refusalOf(collection, { fields: [field] })).toBe(want);
  });
});

describe('an order is rejected', () => {
  it.each<[string, string]>([
    ['missing', missing('missing')],
    ['missing.other', missing('missing')],
    ['shelf.missing', missing('shelf.missing')],
    ['notes.text', 'INVALID_QUERY: "sort" cannot follow the list "notes"'],
    ['secret', 'INVALID_QUERY: "sort" cannot use "secret": its values are concealed'],
    ['pin', 'INVALID_QUERY: "sort" cannot use "pin": its values are concealed'],
  ])('by %s', (sort, want) => {
    expect(refusalOf('book', { sort: [sort] })).toBe(want);
  });
});

describe('a misspelled name', () => {
  it.each([
    ['Title', 'title'],
    ['tit_le', 'title'],
    ['titl', 'title'],
    ['itle', 'title'],
    ['titlee', 'title'],
    ['tible', 'title'],
    ['xtitle', 'title'],
    ['weigth', null],
    ['titles1', null],
    ['tl', null],
    ['pim', null],
    ['pi', null],
    ['PIN', 'pin'],
    ['covers', 'cover'],
    ['bought_', 'bought'],
    ['shel', 'shelf'],
  ])('%s gets a suggestion: %s', (name, want) => {
    const hint = want === null ? '' : `; did you mean "${want}"?`;
    expect(refusalOf('book', { fields: [name] })).toBe(`${missing(name)}${hint}`);
  });

  it('gets no suggestion that the caller cannot read', () => {
    const permissions = [{ collection: 'book', fields: ['pages'] }];
    expect(refusalOf('book', { fields: ['titl'] }, permissions)).toBe(missing('titl'));
  });
});

describe('a caller', () => {
  const titles = [{ collection: 'book', fields: ['title', 'shelf', 'notes', 'sequel'] }];

  it('has no access to a collection without a permission', () => {
    expect(refusalOf('shelf', {}, titles)).toBe(
      'FORBIDDEN: the collection "shelf" does not exist or may not be used this way',
    );
  });

  it.each<[string, Query]>([
    ['fields', { fields: ['pages'] }],
    ['filters', { filter: { pages: 5 } }],
    ['sort', { sort: ['pages'] }],
  ])('cannot use another column in %s', (_, query) => {
    expect(refusalOf('book', { fields: ['title'], ...query }, titles)).toBe(missing('pages'));
  });

  it.each<[string, Query]>([
    ['filters', { filter: { shelf: { label: 'a' } } }],
    ['filters on lists', { filter: { notes: { text: 'a' } } }],
    ['sort', { sort: ['shelf.label'] }],
  ])('cannot follow a relation in %s to a forbidden collection', (_, query) => {
    expect(refusalOf('book', { fields: ['title'], ...query }, titles)).toMatch(
      /^FORBIDDEN: the field "(shelf|notes)"/,
    );
  });

  it.each<[string, Query]>([
    ['fields', { fields: ['shelf.label'] }],
    ['filters', { filter: { shelf: { label: 'a' } } }],
    ['filters on lists', { filter: { notes: { text: 'a' } } }],
    ['sort', { sort: ['shelf.label'] }],
  ])('cannot follow a relation in %s without a permission for it', (_, query) => {
    const permissions = [
      { collection: 'book', fields: ['title'] },
      { collection: 'shelf' },
      { collection: 'note' },
    ];
    expect(refusalOf('book', { fields: ['title'], ...query }, permissions)).toMatch(
      /^FORBIDDEN: the field "(shelf|notes)"/,
    );
  });

  it('does not search hidden or concealed columns', () => {
    const found = statementOf('book', { fields: ['title'], search: 'a' }, { permissions: titles });
    expect(found.match(/t0\."\w+"/g)?.filter((each, index, all) => all.indexOf(each) === index)).toEqual([
      't0."title"',
      't0."shelf"',
      't0."sequel"',
    ]);
    const everywhere = statementOf('book', { fields: ['title'], search: 'a', sort: ['title'] });
    expect(everywhere).not.toMatch(/"(secret|pin|lent|cover)"/);
  });
});

/** Names of the entries of a selection; what is below them in brackets. */
const entriesOf = (
  collection: string,
  fields: readonly unknown[] | undefined,
  options: CompileOptions = {},
) => namesOf(planOf(collection, fields === undefined ? {} : { fields }, options).select);

type Select = ReturnType<typeof planRead>['select'];

const namesOf = (select: Select): string =>
  select.kind === 'key'
    ? 'key'
    : select.entries
        .map((entry) => {
          if (entry.kind === 'one') return `${entry.name}(${namesOf(entry.select)})`;
          return entry.kind === 'many' ? `${entry.name}[${namesOf(entry.plan.select)}]` : entry.name;
        })
        .join(' ');

describe('a selection', () => {
  const shelf = 'id label room genre';

  it('is every column by default', () => {
    expect(entriesOf('shelf', undefined)).toBe(shelf);
    expect(entriesOf('shelf', ['*'])).toBe(shelf);
    expect(entriesOf('shelf', ['label', '*'])).toBe('label id room genre');
  });

  it('is every readable column with the declared lists', () => {
    const permissions = [{ collection: 'odd', fields: ['id', 'pages', 'more'] }];
    expect(entriesOf('odd', undefined, { permissions })).toBe('id pages[key]');
    expect(entriesOf('odd', undefined, { permissions: [{ collection: 'odd', fields: ['id'] }] })).toBe('id');
  });

  it('contains related rows to the named depth', () => {
    expect(entriesOf('note', ['book.shelf.label', 'text'])).toBe('book(shelf(label)) text');
    expect(entriesOf('note', ['book.shelf.*'])).toBe(`book(shelf(${shelf}))`);
    expect(entriesOf('note', ['book.title', 'book.pages'])).toBe('book(title pages)');
    expect(entriesOf('note', ['book'])).toBe('book');
  });

  it('contains every relation below a star', () => {
    expect(
      entriesOf('note', ['*.title'], { permissions: [{ collection: 'note' }, { collection: 'book' }] }),
    ).toBe('id book(title) text');
    expect(entriesOf('note', ['book.pages', '*.title'])).toBe('book(pages title) id text');
  });

  it('contains a list of keys, or of the named fields of its rows', () => {
    expect(entriesOf('book', ['notes'])).toBe('notes[key]');
    expect(entriesOf('book', ['notes.text'])).toBe('notes[text]');
  });

  it('omits relations to unreadable collections', () => {
    const permissions = [{ collection: 'book' }];
    expect(entriesOf('book', ['title', 'shelf.label', 'notes'], { permissions })).toBe('title');
  });

  it('supports columns with dots in their names', () => {
    expect(entriesOf('odd', ['v1.0', 'a.b.c', 'id'])).toBe('v1.0 a.b.c id');
    expect(refusalOf('odd', { fields: ['a.b'] })).toBe(missing('a.b'));
    expect(refusalOf('odd', { fields: ['v1.0'] }, [{ collection: 'odd', fields: ['id'] }])).toBe(
      missing('v1'),
    );
  });
});

/** The columns that a query sorts by. */
const orderOf = (collection: string, query: Query, options: CompileOptions = {}): readonly string[] =>
  planOf(collection, query, options).order.map(
    ({ column, descending }) =>
      `${descending ? '-' : ''}${[...column.path.map(({ relation }) => relation.name), column.field.name].join('/')}`,
  );

describe('an order', () => {
  it('is that of the collection or of its key', () => {
    expect(orderOf('odd', {})).toEqual(['v1.0', 'id']);
    expect(orderOf('loan', {})).toEqual(['book', 'day']);
  });

  it('is that of the first readable column if the key is hidden', () => {
    expect(orderOf('note', {}, { permissions: [{ collection: 'note', fields: ['text', 'book'] }] })).toEqual([
      'book',
    ]);
    expect(orderOf('loan', {}, { permissions: [{ collection: 'loan', fields: ['day', 'reader'] }] })).toEqual(
      ['day'],
    );
    expect(orderOf('odd', {}, { permissions: [{ collection: 'odd', fields: ['id'] }] })).toEqual(['id']);
    expect(orderOf('log', {})).toEqual(['line']);
  });

  it('of a view is that of its statement', () => {
    expect(orderOf('sums', {})).toEqual([]);
    expect(orderOf('sums', { sort: ['count'] })).toEqual(['count']);
  });

  it('continues with the rest of the key unless it is hidden', () => {
    expect(orderOf('loan', { sort: ['-day'] })).toEqual(['-day', 'book']);
    const permissions = [{ collection: 'loan', fields: ['day', 'reader'] }];
    expect(orderOf('loan', { sort: ['reader'] }, { permissions })).toEqual(['reader']);
  });

  it('by the key of a related row continues with the own key', () => {
    expect(orderOf('fine', { sort: ['loan.book', 'id'] })).toEqual(['loan/book', 'id']);
    expect(orderOf('note', { sort: ['book.sequel.code'] })).toEqual(['book/sequel/code', 'id']);
  });

  it('supports columns and relations with dots and signs in their names', () => {
    expect(orderOf('odd', { sort: ['a.b.c', '-v1.0'] })).toEqual(['a.b.c', '-v1.0', 'id']);
    expect(orderOf('odd', { sort: ['-x'] })).toEqual(['-x', 'id']);
    expect(orderOf('odd', { sort: ['--x'] })).toEqual(['--x', 'id']);
    expect(planOf('odd', { sort: ['-x'] }).order[0]?.descending).toBe(false);
    expect(orderOf('odd', { sort: ['-shelf.label'] })).toEqual(['-shelf/label', 'id']);
    const hidden = [{ collection: 'odd', fields: ['id', 'x'] }];
    expect(
      planOf('odd', { fields: ['id'], sort: ['-x'] }, { permissions: hidden }).order[0]?.descending,
    ).toBe(true);
  });
});

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

const itemStatement = (
  query: Query,
  restrict: NonNullable<CompileOptions['restrict']>,
  keys: readonly unknown[],
) => {
  const { read, values } = compile('loan', { fields: ['reader'], ...query }, { restrict });
  return [render(read.rows.statement, values, keys), read.counts.length];
};

describe('an item', () => {
  const loan = collectionOf('loan');

  it('is read by the parts of its key, each of its type', () => {
    expect(readKey(loan, ['a', '2020-01-02T10:00:00Z'])).toEqual(['a', '2020-01-02']);
    expect(readKey(collectionOf('note'), ['5'])).toEqual([5]);
  });

  it.each([[['a']], [['a', '2020-01-02', 'b']], [['a', 'today']]])(
    'is not found by an invalid key: %j',
    (parts) => {
      expect(() => readKey(loan, parts)).toThrow(
        'the item of "loan" does not exist or may not be used this way',
      );
      expect(missingItem(loan)).toBeInstanceOf(ApiError);
    },
  );

  it('has the same key format in body and path', () => {
    expect(splitKeyValue(loan, 'a%2Cb,2020-01-02')).toEqual(['a,b', '2020-01-02']);
    expect(splitKeyValue(loan, 5)).toEqual([5]);
    expect(splitKeyValue(collectionOf('book'), 'a,b')).toEqual(['a,b']);
  });

  it('is read without order, page and counts', () => {
    const query = { sort: ['reader'], limit: 5, offset: 3, page: 2, meta: ['*'], filter: { reader: 'x' } };
    expect(itemStatement(query, restrictToItem, ['a', '2020-01-02'])).toEqual([
      'select t0."reader" from "loan" t0 where ((t0."book" = ? and t0."day" = ?) and t0."reader" = ?)' +
        ' -- "a", "2020-01-02", "x"',
      0,
    ]);
  });

  it('is read with others in their order', () => {
    expect(
      itemStatement({}, (plan) => restrictToItems(plan, 2), ['a', '2020-01-02', 'b', '2020-01-03']),
    ).toEqual([
      'select t0."reader" from "loan" t0 where ((t0."book" = ? and t0."day" = ?) or (t0."book" = ? and t0."day" = ?))' +
        ' order by t0."book", t0."day" limit ? -- "a", "2020-01-02", "b", "2020-01-03", 100n',
      0,
    ]);
  });

  it('is the first of a singleton', () => {
    const query = { limit: 5, offset: 3, page: 2, meta: ['*'] };
    expect(itemStatement(query, restrictToFirst, [])).toEqual([
      'select t0."reader" from "loan" t0 order by t0."book", t0."day" limit ? -- 1n',
      0,
    ]);
  });
});
