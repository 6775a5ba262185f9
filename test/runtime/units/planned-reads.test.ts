/** Queries as plans: names, permissions, defaults, and what is refused. */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../contract/errors.js';
import { emptyQuery, planRead } from '../../../runtime/plan/read.js';
import type { FieldNode } from '../../../runtime/request/query.js';
import {
  collectionOf,
  planOf,
  policiesOf,
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
    [{ 'year(lent)': 2020 }, 'INVALID_QUERY: year() does not apply to "lent" (boolean); no function does'],
    [{ 'year(missing)': 2020 }, missing('missing')],
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

  it.each<[Record<string, unknown>, string]>([
    [{ target: { title: 1 } }, 'target:shelf.title'],
    [{ 'target:book': { missing: 1 } }, 'target:book.missing'],
    [{ 'target:note': { text: 1 } }, 'target:note'],
  ])('through a relation to one of several collections: %j', (filter, name) => {
    expect(refusalOf('odd', { filter })).toBe(missing(name));
  });
});

describe('a selection is rejected', () => {
  it.each<[string, string, string]>([
    ['book', 'missing', missing('missing')],
    ['book', 'title.other', missing('title.other')],
    ['book', 'shelf.missing', missing('shelf.missing')],
    ['book', 'sequel.shelf.missing', missing('sequel.shelf.missing')],
    ['book', 'year(notes)', 'INVALID_QUERY: year() does not apply to the list "notes"; it supports count'],
    [
      'book',
      'age(lent)',
      'INVALID_QUERY: "age(lent)" is not a function of a field; functions are year, month, week, day, weekday, hour, minute, second, count, json, as in year(created)',
    ],
    ['odd', 'target.title', missing('target:shelf.title')],
    ['odd', 'target:book.missing', missing('target:book.missing')],
  ])('%s: %s', (collection, field, want) => {
    expect(refusalOf(collection, { fields: [field] })).toBe(want);
  });

  it.each<[string, string, string]>([
    ['note', 'book.title', 'book'],
    ['note', 'text.other', 'text'],
    ['book', 'notes.text', 'notes'],
    ['odd', 'target.title', 'target'],
  ])('if its first name is not permitted, whatever follows: %s: %s', (collection, field, name) => {
    expect(refusalOf(collection, { fields: [field] }, [{ collection, fields: ['id', 'code'] }])).toBe(
      missing(name),
    );
  });
});

describe('"deep" is rejected', () => {
  it.each<[string, string, string]>([
    ['with a name that does not exist', 'missing', missing('missing')],
    ['with a forbidden name', 'code', missing('code')],
    ['with a field', 'title', 'INVALID_QUERY: "deep" takes relations, and "title" is none'],
  ])('%s', (_, name, want) => {
    const grants = [{ collection: 'book', fields: ['id', 'title', 'notes'] }];
    expect(refusalOf('book', { fields: ['title'], deep: { [name]: { _limit: 1 } } }, grants)).toBe(want);
  });

  it('below a relation, with the whole path of the name', () => {
    const query = { fields: ['notes.text'], deep: { notes: { missing: { _limit: 1 } } } };
    expect(refusalOf('book', query)).toBe(missing('notes.missing'));
  });
});

it('an aggregation of one item is rejected', () => {
  const want = 'INVALID_QUERY: "aggregate" and "groupBy" apply to lists only';
  expect(refusalOf('book', { aggregate: { count: '*' } })).toBe(want);
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
    ['_ti_tle_', 'title'],
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

  it('is no readable name whose target is forbidden', () => {
    const permissions = [{ collection: 'book', fields: ['shelf', 'notes'] }];
    expect(refusalOf('book', { filter: { shelf: { label: 'a' } } }, permissions)).toBe(missing('shelf'));
    expect(refusalOf('book', { filter: { notes: { text: 'a' } } }, permissions)).toBe(missing('notes'));
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

/** Types of the selected columns of a book; those with a name are asked for as text. */
const typesOf = (...names: readonly string[]) => {
  const nodes = names.map((name) => ({ name, children: [], text: true as const }));
  const query = { ...emptyQuery, fields: [...nodes, { name: 'shelf', children: [] }] };
  const plan = planRead(query, collectionOf('book'), { policies: policiesOf(), maxDepth: 10 });
  return plan.select.kind === 'key'
    ? []
    : plan.select.entries.map((entry) => entry.kind === 'field' && entry.field.type);
};

/** The targets of the relation of `odd` to one of several collections: what is selected, limit and order. */
const targetsOf = (targets: FieldNode['targets'], permissions?: readonly ReadPermission[]) => {
  const query = { ...emptyQuery, fields: [{ name: 'target', children: [], ...(targets && { targets }) }] };
  const context = { policies: policiesOf(permissions), maxDepth: 10 };
  const { select } = planRead(query, collectionOf('odd'), context);
  const [entry] = select.kind === 'key' ? [] : select.entries;
  if (entry?.kind !== 'any') throw new Error('not one of several collections');
  return entry.targets.map(
    ({ plan }) =>
      `${plan.collection.name} ${namesOf(plan.select)} ${String(plan.limit)} ${JSON.stringify(plan.order)}`,
  );
};

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

  it('contains the relation back to the level above below a star, unless "backlink" is false', () => {
    const query = { fields: ['notes.*.title'] };
    expect(namesOf(planOf('book', query).select)).toBe('notes[id book(title) text]');
    expect(namesOf(planOf('book', { ...query, backlink: false }).select)).toBe('notes[id book text]');
  });

  it('contains a list of keys, or of the named fields of its rows', () => {
    expect(entriesOf('book', ['notes'])).toBe('notes[key]');
    expect(entriesOf('book', ['notes.text'])).toBe('notes[text]');
  });

  it('contains the whole item of a relation without a column of the same name', () => {
    expect(entriesOf('fine', ['loan'])).toBe('loan(book day reader)');
  });

  it('contains whole rows for a list of a keyless collection', () => {
    expect(entriesOf('desk', ['entries'])).toBe('entries[line]');
  });

  it('contains items of several collections: named fields of one, and keys of the others, in no order', () => {
    const selected = { collection: 'book', children: [{ name: 'title', children: [] }] };
    expect(targetsOf([selected])).toEqual(['book title unlimited []', 'shelf key unlimited []']);
    const permissions = [
      { collection: 'odd' },
      { collection: 'book', fields: ['title'] },
      { collection: 'shelf', fields: ['label'] },
    ];
    expect(targetsOf([selected], permissions)).toEqual(['book title unlimited []']);
  });

  it('returns an integer as text if the query asks for it', () => {
    expect(typesOf('pages', 'title')).toEqual(['bigInteger', 'string', 'integer']);
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
