/** Forbidden parts of a diff are refused before anything runs, all at once. */
import { describe, expect, it } from 'vitest';
import { loadSchemaPrinter } from '../../../runtime/databases/open.js';
import { findProblems } from '../../../runtime/schema/apply/guard.js';
import type {
  ColumnShape,
  ForeignKeyShape,
  IndexShape,
  SchemaExpression,
  TableShape,
} from '../../../runtime/schema/shapes.js';
import { dialectsOf } from '../../databases.js';

const dialects = dialectsOf(import.meta.url);

const column = (name: string, more: Partial<ColumnShape> = {}): ColumnShape => ({
  name,
  dataType: 'text',
  length: null,
  precision: null,
  scale: null,
  fraction: null,
  values: null,
  nullable: true,
  default: null,
  generated: null,
  autoIncrement: null,
  onUpdate: false,
  collation: null,
  comment: null,
  ...more,
});

const table = (name: string, more: Partial<TableShape> = {}): TableShape => ({
  name,
  comment: null,
  collation: null,
  options: {},
  columns: [column('id')],
  primaryKey: ['id'],
  uniques: [],
  indexes: [],
  checks: [],
  foreignKeys: [],
  triggers: [],
  ...more,
});

const index = (more: Partial<IndexShape> = {}): IndexShape => ({
  name: 'by_id',
  unique: false,
  method: null,
  parts: [{ column: 'id', expression: null, descending: false, length: null }],
  predicate: null,
  include: [],
  incomplete: false,
  ...more,
});

const key = (more: Partial<ForeignKeyShape> = {}): ForeignKeyShape => ({
  name: 'to_b',
  columns: ['id'],
  table: 'b',
  references: ['id'],
  onUpdate: 'NO ACTION',
  onDelete: 'NO ACTION',
  ...more,
});

const raw = (sql: string): SchemaExpression => ({ kind: 'raw', sql });
const checked = (sql: string): TableShape =>
  table('a', { checks: [{ name: 'positive', expression: raw(sql) }] });

describe.each(dialects)('on %s, a diff', async (dialect) => {
  const printer = await loadSchemaPrinter(dialect);
  const problemsOf = (after: readonly TableShape[], before: readonly TableShape[] = []): readonly string[] =>
    findProblems(before, after, printer).map(({ message }) => message);
  const long = 'n'.repeat(printer.maxName + 1);

  it.each([
    ['integer', dialect === 'postgres' ? 'integer' : 'int', 'abc', 'is not a number'],
    ['boolean', 'boolean', 'maybe', 'is not true or false'],
  ])(
    'has no default for a field of the type %s that is none of its values, unless it is there',
    (_type, dataType, value, problem) => {
      const named = (more: Partial<ColumnShape>): TableShape =>
        table('a', { columns: [column('id'), column('v', { dataType, ...more })] });
      const wrong = { default: { kind: 'literal', value } } as const;
      expect(problemsOf([named(wrong)], [named({})])).toEqual([
        `Invalid payload: the default_value "${value}" of "a.v" ${problem}.`,
      ]);
      expect(problemsOf([named({ ...wrong, nullable: false })], [named(wrong)])).toEqual([]);
    },
  );

  it('may have collections that differ in case alone where their tables do', () => {
    expect(problemsOf([table('a'), table('A')], [table('a')])).toHaveLength(dialect === 'sqlite' ? 1 : 0);
  });

  it('may make tables that refer to one another, and to system tables', () => {
    const refers = table('a', {
      indexes: [index()],
      foreignKeys: [key(), key({ name: 's', table: 'svc_users' })],
    });
    expect(problemsOf([refers, table('b')])).toEqual([]);
  });

  it.each<[string, TableShape, string]>([
    [
      'a table that is not there',
      table('a', { foreignKeys: [key({ table: 'c' })] }),
      'the relation "to_b" refers to "c", which does not exist',
    ],
    [
      'a column that is not there',
      table('a', { foreignKeys: [key({ references: ['code'] })] }),
      'the relation "to_b" refers to "b.code", which does not exist',
    ],
    [
      'a key without its column',
      table('a', { foreignKeys: [key({ columns: ['b_id'] })] }),
      'the relation "to_b" names "b_id", which "a" does not have',
    ],
    [
      'a primary key without its column',
      table('a', { primaryKey: ['code'] }),
      'the primary key names "code", which "a" does not have',
    ],
    [
      'a unique constraint without its column',
      table('a', { uniques: [{ name: 'one', columns: ['id', 'code'] }] }),
      'the unique constraint "one" names "code", which "a" does not have',
    ],
    [
      'an index without its column',
      table('a', {
        indexes: [index({ parts: [{ column: 'code', expression: null, descending: false, length: null }] })],
      }),
      'the index "by_id" names "code", which "a" does not have',
    ],
    [
      'an index that includes no column',
      table('a', { indexes: [index({ include: ['code'] })] }),
      'the index "by_id" names "code", which "a" does not have',
    ],
    [
      'an index with more than a snapshot holds',
      table('a', { indexes: [index({ incomplete: true })] }),
      'the index "by_id" has properties that a snapshot does not hold; create it with SQL',
    ],
    [
      'an expression outside of the grammar',
      checked('sleep(10)'),
      'the expression of the check "positive" is outside of the grammar: "sleep(10)"',
    ],
    [
      'a default outside of the grammar',
      table('a', {
        columns: [column('id', { default: { kind: 'expression', expression: raw('pg_sleep(1)') } })],
      }),
      'the expression of the default of "a.id" is outside of the grammar: "pg_sleep(1)"',
    ],
    [
      'an index of an expression outside of the grammar',
      table('a', { indexes: [index({ predicate: raw('x()') })] }),
      'the expression of the index "by_id" is outside of the grammar: "x()"',
    ],
    [
      'a type that is none',
      table('a', { columns: [column('id', { dataType: 'integer; drop table b' })] }),
      'the data_type "integer; drop table b" of "a.id" is not one of this database',
    ],
    [
      'two fields of one name',
      table('a', { columns: [column('id'), column('Id')] }),
      '"a" has two fields "id" that differ in case alone',
    ],
    [
      'a name of system tables',
      table('svc_users'),
      'the name "svc_users" is reserved; choose one with another beginning',
    ],
    [
      'a name of system tables in capitals',
      table('SVC_users'),
      'the name "SVC_users" is reserved; choose one with another beginning',
    ],
    ['a name that is too long', table(long), `the name "${long}" is longer than ${printer.maxName}`],
    [
      'a name with a line break',
      table('a', { columns: [column('id'), column('x\ny')] }),
      'the name "x\\ny" has control characters, or blanks at an end',
    ],
    [
      'a name that ends with a blank',
      table('a', { checks: [{ name: 'c ', expression: { kind: 'tree', tree: { kind: 'null' } } }] }),
      'the name "c " has control characters, or blanks at an end',
    ],
    [
      'a name that is empty',
      table('a', { columns: [column('id'), column('')] }),
      'the name "" has control characters, or blanks at an end',
    ],
  ])('may not have %s', (_, wrong, problem) => {
    expect(problemsOf([wrong, table('b')])).toEqual([expect.stringContaining(problem)]);
  });

  it('keeps what the database holds outside of the grammar, in a table that changes otherwise', () => {
    const present = { ...checked('sleep(10)'), indexes: [index({ incomplete: true })] };
    const after = { ...present, columns: [...present.columns, column('more')] };
    expect(problemsOf([after], [present])).toEqual([]);
    expect(problemsOf([{ ...after, checks: checked('sleep(11)').checks }], [present])).toHaveLength(1);
    expect(
      problemsOf([{ ...after, indexes: [index({ incomplete: true, unique: true })] }], [present]),
    ).toHaveLength(1);
  });

  it('counts in a key alone, where the database needs one', () => {
    const counter = column('n', {
      dataType: dialect === 'postgres' ? 'integer' : 'int',
      autoIncrement: 'default',
    });
    const without = table('a', { columns: [column('id'), counter] });
    const first = index({ parts: [{ column: 'n', expression: null, descending: false, length: null }] });
    const needs = {
      sqlite: 'the primary key',
      mariadb: 'the first field of a key or an index',
      mysql: 'the first field of a key or an index',
      postgres: null,
    }[dialect];
    const refusal = expect.stringContaining(
      `"a.n" has has_auto_increment, for which this database needs it to be ${needs}`,
    );
    expect(problemsOf([without])).toEqual(needs === null ? [] : [refusal]);
    expect(problemsOf([{ ...without, indexes: [first] }])).toEqual(dialect === 'sqlite' ? [refusal] : []);
    expect(problemsOf([{ ...without, primaryKey: ['id', 'n'] }])).toHaveLength(needs === null ? 0 : 1);
    expect(problemsOf([{ ...without, primaryKey: ['n'] }])).toEqual([]);
  });

  it('is refused with all of its problems', () => {
    const wrong = table('a', {
      primaryKey: ['x'],
      foreignKeys: [key({ table: 'c' })],
      columns: [column('id'), column('')],
    });
    expect(problemsOf([wrong])).toHaveLength(3);
  });
});
