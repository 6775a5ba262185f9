/** Writes as statements: inserts, updates, deletes, and the reads with which writes begin. */
import { describe, expect, it } from 'vitest';
import type { Field } from '../../../contract/collection.js';
import { conditionFalse, conditionTrue, type Condition, type Entry } from '../../../runtime/plan/types.js';
import type { Scalar } from '../../../runtime/plan/parsed-value.js';
import type { WriteRow } from '../../../runtime/plan/write-plan.js';
import { compileInsert, compileReturning } from '../../../runtime/sql/insert.js';
import {
  compileColumnsByTuples,
  compileDelete,
  compileHighest,
  compileKeyMatches,
  compileRowPermission,
  compileTupleCount,
  compileUpdate,
} from '../../../runtime/sql/write.js';
import { usesOwnRowOnly } from '../../../runtime/plan/own-row.js';
import { planRead } from '../../../runtime/plan/read.js';
import { readQuery } from '../../../runtime/request/query.js';
import {
  collectionOf,
  dialects,
  fieldOf,
  inputOf,
  planOf,
  policiesOf,
  printStatement,
  type ReadPermission,
} from './compiled.js';

const { sqlite, mariadb, mysql, postgres } = dialects;

const row = (values: Readonly<Record<string, Scalar | null>>): WriteRow => new Map(Object.entries(values));

const insert = (
  collection: string,
  rows: readonly WriteRow[],
  { dialect = sqlite, returning = null as string | null } = {},
): string => printStatement(compileInsert(collectionOf(collection), rows, { dialect, returning }));

const textOf = (...rows: readonly WriteRow[]): string =>
  compileInsert(collectionOf('tag'), rows, { dialect: sqlite, returning: null }).text;

describe('an insert', () => {
  it('has a placeholder for each column, whose value is bound by its type', () => {
    expect(insert('book', [row({ title: 'a', pages: 5, lent: true, bought: null })])).toBe(
      'insert into "book" ("title", "pages", "lent", "bought") values (?, ?, ?, ?) -- "a", 5n, 1, null',
    );
  });

  it('has several rows of the same columns, matched by name', () => {
    const rows = [
      row({ title: 'a', pages: 1 }),
      row({ pages: 2, title: 'b' }),
      row({ title: 'c', pages: null }),
    ];
    expect(insert('book', rows)).toBe(
      'insert into "book" ("title", "pages") values (?, ?), (?, ?), (?, ?) -- "a", 1n, "b", 2n, "c", null',
    );
  });

  it('without values uses the defaults', () => {
    expect(insert('log', [row({})])).toBe('insert into "log" default values');
    expect(insert('crate', [row({})], { dialect: mariadb })).toBe('insert into `crate` () values ()');
  });

  it('returns its rows on request', () => {
    expect(insert('log', [row({ line: 'a' })], { returning: '"line"' })).toBe(
      'insert into "log" ("line") values (?) returning "line" -- "a"',
    );
    expect(insert('log', [row({})], { returning: '"line"' })).toBe(
      'insert into "log" default values returning "line"',
    );
  });

  it('has one text for rows of the same columns', () => {
    expect(textOf(row({ id: 1, crate: '2' }))).toBe('insert into "tag" ("id", "crate") values (?, ?)');
    expect(textOf(row({ id: 3, crate: '4' }))).toBe('insert into "tag" ("id", "crate") values (?, ?)');
    expect(textOf(row({ crate: '2', id: 1 }))).toBe('insert into "tag" ("crate", "id") values (?, ?)');
    expect(textOf(row({ id: 1 }))).toBe('insert into "tag" ("id") values (?)');
    expect(textOf(row({ id: 1 }), row({ id: 2 }))).toBe('insert into "tag" ("id") values (?), (?)');
  });

  it('checks the keys that the database generates, if they can be too large', () => {
    const note = collectionOf('note');
    const [id] = note.key;
    const text = (dialect: typeof sqlite, auto: boolean, values: WriteRow): string => {
      const key: Field[] = id === undefined ? [] : [{ ...id, ...(auto && { auto: true }) }];
      const collection = { ...note, key, fields: new Map(note.fields).set('id', key[0] as Field) };
      return compileInsert(collection, [values], { dialect, returning: '"id"' }).text;
    };
    const checked = `"id", ${sqlite.generatedKeyCheck?.(fieldOf('note', 'id'))}`;
    expect(text(sqlite, true, row({ text: 'a' }))).toBe(
      `insert into "note" ("text") values (?) returning ${checked}`,
    );
    expect(text(sqlite, true, row({ id: 1 }))).toBe('insert into "note" ("id") values (?) returning "id"');
    expect(text(sqlite, false, row({ text: 'a' }))).toBe(
      'insert into "note" ("text") values (?) returning "id"',
    );
    expect(text(postgres, true, row({ text: 'a' }))).toBe(
      'insert into "note" ("text") values (?) returning "id"',
    );
  });

  it('of a missing column throws', () => {
    expect(() => insert('log', [row({ missing: 1 })])).toThrow('log has no field "missing"');
  });
});

/** The condition of a filter, as the caller's grant would hold it. */
const conditionOf = (collection: string, filter: Readonly<Record<string, unknown>>): Condition => {
  const permissions: ReadPermission[] = [{ collection, permissions: filter }, { collection: 'loan' }];
  return planRead(readQuery({ fields: [] }).query, collectionOf(collection), {
    policies: policiesOf(permissions),
    maxDepth: 10,
  }).where;
};

const onRows = (
  keys: readonly (readonly Scalar[])[],
  { dialect = sqlite, where = conditionTrue }: { dialect?: typeof sqlite; where?: Condition } = {},
) => ({ dialect, keys, where, input: inputOf([]) });

const lent = conditionOf('book', { lent: { _eq: true } });

describe('an update', () => {
  it('sets columns of the rows of the keys that match its condition', () => {
    const values = row({ title: 'a', bought: null });
    expect(printStatement(compileUpdate(collectionOf('book'), values, onRows([['c1']])))).toBe(
      'update "book" set "title" = ?, "bought" = ? where "code" = ? -- "a", null, "c1"',
    );
    expect(
      printStatement(compileUpdate(collectionOf('book'), values, onRows([['c1'], ['c2']], { where: lent }))),
    ).toBe(
      'update "book" set "title" = ?, "bought" = ? where "code" in (?, ?) and "book"."lent" = ?' +
        ' -- "a", null, "c1", "c2", 1',
    );
  });

  it('finds rows by every column of a composite key', () => {
    const loans = collectionOf('loan');
    const values = row({ reader: 'a' });
    expect(printStatement(compileUpdate(loans, values, onRows([['c1', '2020-01-01']])))).toBe(
      'update "loan" set "reader" = ? where "book" = ? and "day" = ? -- "a", "c1", "2020-01-01"',
    );
    const keys = [
      ['c1', '2020-01-01'],
      ['c2', '2020-01-02'],
    ];
    expect(printStatement(compileUpdate(loans, values, onRows(keys)))).toBe(
      'update "loan" set "reader" = ? where ("book", "day") in ((?, ?), (?, ?))' +
        ' -- "a", "c1", "2020-01-01", "c2", "2020-01-02"',
    );
  });

  it('matches no row if a part of the key is missing', () => {
    expect(compileUpdate(collectionOf('loan'), row({ reader: 'a' }), onRows([['c1']])).values).toEqual([
      'a',
      'c1',
      null,
    ]);
  });
});

describe('a delete', () => {
  it('finds rows like an update', () => {
    expect(printStatement(compileDelete(collectionOf('note'), onRows([[1], [2]])))).toBe(
      'delete from "note" where "id" in (?, ?) -- 1n, 2n',
    );
    expect(printStatement(compileDelete(collectionOf('book'), onRows([['c1']], { where: lent })))).toBe(
      'delete from "book" where "code" = ? and "book"."lent" = ? -- "c1", 1',
    );
  });
});

const countLoans = (
  fields: readonly string[],
  tuples: readonly (readonly Scalar[])[],
  dialect = sqlite,
): string =>
  printStatement(
    compileTupleCount(collectionOf('loan'), {
      fields: fields.map((name) => fieldOf('loan', name)),
      tuples,
      dialect,
      where: conditionTrue,
      input: inputOf([]),
    }),
  );

const countBooks = (tuples: readonly (readonly Scalar[])[]): string =>
  printStatement(
    compileTupleCount(collectionOf('book'), {
      fields: [fieldOf('book', 'isbn'), fieldOf('book', 'weight')],
      tuples,
      dialect: mariadb,
      where: conditionTrue,
      input: inputOf([]),
    }),
  );

describe('the read before a write', () => {
  it('returns the first key column of writable rows, with a lock if supported', () => {
    const read = (dialect: typeof sqlite): string =>
      printStatement(compileRowPermission(collectionOf('book'), onRows([['c1']], { dialect, where: lent })));
    expect(read(sqlite)).toBe(
      'select "code" as found from "book" where "code" = ? and "book"."lent" = ? -- "c1", 1',
    );
    expect(read(postgres)).toBe(
      'select "code" as found from "book" where "code" = ? and "book"."lent" = ? for update -- "c1", 1',
    );
  });

  it('returns the matching key of each row', () => {
    const keys = [
      ['c1', '2020-01-01'],
      ['c2', '2020-01-02'],
    ];
    const collection = collectionOf('loan');
    const read = (isLocked: boolean) =>
      printStatement(
        compileKeyMatches(collection, {
          ...onRows([], { dialect: postgres }),
          fields: collection.key,
          tuples: keys,
          isLocked,
        }),
      );
    expect(read(false)).toBe(read(true).replace(' for update', ''));
    expect(read(true)).toBe(
      'select "book" as k0, "day" as k1, case when "book" = ? and "day" = ? then 0' +
        ' when "book" = ? and "day" = ? then 1 end as named from "loan"' +
        ' where ("book", "day") in ((?, ?), (?, ?)) for update' +
        ' -- "c1", "2020-01-01", "c2", "2020-01-02", "c1", "2020-01-01", "c2", "2020-01-02"',
    );
  });

  it('returns columns of rows with one of several values, in their order', () => {
    const fields = [fieldOf('note', 'book')];
    const columns = [fieldOf('note', 'id'), fieldOf('note', 'text')];
    const where = conditionOf('note', { text: { _eq: 'x' } });
    expect(
      printStatement(
        compileColumnsByTuples(collectionOf('note'), columns, {
          fields,
          tuples: [['c1'], ['c2']],
          dialect: mariadb,
          where,
          input: inputOf([]),
        }),
      ),
    ).toBe(
      'select `id`, `text` from `note` where `book` in (?, ?) and `note`.`text` = ?' +
        ' order by `id`, `text` for update -- "c1", "c2", "x"',
    );
  });

  it('finds the highest value of a field among rows with one of several values', () => {
    const where = conditionOf('note', { text: { _eq: 'x' } });
    const tuples = [['c1'], ['c2']];
    expect(
      printStatement(
        compileHighest(collectionOf('note'), fieldOf('note', 'id'), {
          fields: [fieldOf('note', 'book')],
          tuples,
          dialect: sqlite,
          where,
          input: inputOf([]),
        }),
      ),
    ).toBe(
      'select max("id") as last from "note" where "book" in (?, ?) and "note"."text" = ? -- "c1", "c2", "x"',
    );
  });

  it('counts the values, of several, that rows have', () => {
    expect(countLoans(['book'], [['c1'], ['c2']])).toBe(
      'select count(*) as count from (select distinct "book" from "loan" where "book" in (?, ?)) as found' +
        ' -- "c1", "c2"',
    );
    expect(countLoans(['book', 'day'], [['c1', '2020-01-01']])).toBe(
      'select count(*) as count from (select distinct "book", "day" from "loan" where "book" = ? and "day" = ?)' +
        ' as found -- "c1", "2020-01-01"',
    );
  });

  it('compares values like queries, with casts', () => {
    expect(countBooks([['5', 0.5]])).toBe(
      'select count(*) as count from (select distinct `isbn`, `weight` from `book`' +
        ' where `isbn` = cast(? as decimal(65,30)) and `weight` = cast(? as float)) as found -- "5", 0.5',
    );
    expect(
      countBooks([
        ['5', 0.5],
        ['6', 1e300],
      ]),
    ).toBe(
      'select count(*) as count from (select distinct `isbn`, `weight` from `book` where (`isbn`, `weight`) in' +
        ' ((cast(? as decimal(65,30)), cast(? as double)), (cast(? as decimal(65,30)), cast(? as double)))) as found' +
        ' -- "5", 0.5, "6", 1e+300',
    );
  });
});

const returningOf = (fields: readonly string[], dialect = sqlite, permissions?: readonly ReadPermission[]) =>
  compileReturning(planOf('book', { fields }, { permissions }), dialect)?.text ?? null;

describe('the row that a write returns', () => {
  it('consists of its own columns', () => {
    expect(returningOf(['title', 'secret'])).toBe(
      '"book"."title", case when "book"."secret" is not null then 1 end',
    );
  });

  it.each<[string, readonly string[]]>([
    ['related rows', ['title', 'shelf.label']],
    ['lists', ['title', 'notes.text']],
  ])('is read afterwards if it has %s', (_, fields) => {
    expect(returningOf(fields)).toBeNull();
  });

  it('is read afterwards if the caller cannot read every row and column', () => {
    expect(
      returningOf(['title'], sqlite, [{ collection: 'book', permissions: { lent: { _eq: true } } }]),
    ).toBeNull();
    const hidden = [
      { collection: 'book', fields: ['code'] },
      { collection: 'book', fields: ['title'], permissions: { lent: { _eq: true } } },
    ];
    expect(returningOf(['code', 'title'], sqlite, hidden)).toBeNull();
  });

  it('is read afterwards if only a column depends on a rule', () => {
    const plan = planOf('book', { fields: ['code', 'title'] });
    const title: Entry = { kind: 'field', name: 'title', field: fieldOf('book', 'title'), rule: lent };
    const code: Entry = { ...title, name: 'code', field: fieldOf('book', 'code'), rule: null };
    const textOf = (...entries: Entry[]) =>
      compileReturning({ ...plan, select: { kind: 'object', entries } }, sqlite)?.text;
    expect([textOf(code), textOf(code, title)]).toEqual(['"book"."code"', undefined]);
  });

  it('is read afterwards on a database that returns none', () => {
    expect(returningOf(['title'], mysql)).toBeNull();
  });
});

describe('a condition on the row alone', () => {
  const titled = { title: { _eq: 'a' } };
  const shelved = { shelf: { label: { _eq: 'a' } } };

  it.each<[Record<string, unknown>, boolean]>([
    [titled, true],
    [{ bought: { _null: true } }, true],
    [{ title: { _empty: true } }, true],
    [{ title: { _ncontains: 'a' } }, true],
    [{ _or: [titled, { lent: { _eq: true } }] }, true],
    [{ _and: [titled, { lent: { _eq: true } }] }, true],
    [{ _or: [titled, shelved] }, false],
    [{ _and: [titled, shelved] }, false],
    [shelved, false],
    [{ shelf: { room: { _null: true } } }, false],
    [{ shelf: { label: { _empty: true } } }, false],
    [{ shelf: { label: { _ncontains: 'a' } } }, false],
    [{ loans: { _some: { reader: { _eq: 'a' } } } }, false],
  ])('is distinguished from one on other rows: %j', (filter, want) => {
    expect(usesOwnRowOnly(conditionOf('book', filter))).toBe(want);
  });

  it('can be a constant', () => {
    expect([conditionTrue, conditionFalse].map(usesOwnRowOnly)).toEqual([true, true]);
    expect(usesOwnRowOnly({ kind: 'at', path: [], condition: conditionTrue })).toBe(false);
  });
});

it('a condition that is always true is printed inside another', () => {
  const where: Condition = { kind: 'not', condition: conditionTrue };
  expect(compileDelete(collectionOf('note'), onRows([[1]], { where })).text).toBe(
    'delete from "note" where "id" = ? and not (1 = 1)',
  );
});
