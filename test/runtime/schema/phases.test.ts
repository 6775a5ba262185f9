/** The additive phase of an apply, and what servers no longer see after it. */
import { describe, expect, it } from 'vitest';
import type { Catalog, Column, Table } from '../../../generator/introspection/catalog.js';
import { expandTables } from '../../../runtime/schema/apply/expand.js';
import type { SentDiff } from '../../../runtime/schema/apply/applies.js';
import { hideDropped } from '../../../runtime/schema/served-catalog.js';
import type { ColumnShape, ForeignKeyShape, TableShape } from '../../../runtime/schema/shapes.js';

const column = (name: string, changes: Partial<ColumnShape> = {}): ColumnShape => ({
  name,
  dataType: 'varchar',
  length: 40,
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
  ...changes,
});

const table = (
  name: string,
  columns: readonly ColumnShape[],
  changes: Partial<TableShape> = {},
): TableShape => ({
  name,
  comment: null,
  collation: null,
  options: {},
  columns,
  primaryKey: ['id'],
  uniques: [],
  indexes: [],
  checks: [],
  foreignKeys: [],
  triggers: [],
  ...changes,
});

const key = (target: string, references: readonly string[]): ForeignKeyShape => ({
  name: `to_${target}`,
  columns: ['other'],
  table: target,
  references,
  onUpdate: 'NO ACTION',
  onDelete: 'NO ACTION',
});

const index = (name: string, columns: readonly string[], unique = false): TableShape['indexes'][number] => ({
  name,
  unique,
  method: null,
  parts: columns.map((each) => ({ column: each, expression: null, descending: false, length: null })),
  predicate: null,
  include: [],
  incomplete: false,
});

const id = column('id', { nullable: false });
const noRenames = { collections: new Map<string, string>(), fields: new Map<string, string>() };

/** Names of the columns of a table after the additive phase. */
const expandOne = (before: TableShape, after: TableShape, renames = noRenames): TableShape => {
  const [expanded] = expandTables({ before: [before], after: [after], renames });
  return expanded ?? before;
};

describe('the additive phase', () => {
  it.each<[string, Partial<ColumnShape>, boolean]>([
    ['nullable', {}, true],
    ['with a default', { nullable: false, default: { kind: 'literal', value: 'x' } }, true],
    ['without a default', { nullable: false }, false],
    ['that counts', { autoIncrement: 'yes' }, false],
    ['that is generated', { generated: { expression: { kind: 'raw', sql: '1' }, stored: true } }, false],
  ])('a new column %s', (_, changes, isAdded) => {
    const after = table('a', [id, column('new', changes)]);
    const names = expandOne(table('a', [id]), after).columns.map(({ name }) => name);
    expect(names).toEqual(isAdded ? ['id', 'new'] : ['id']);
  });

  it.each<[string, Partial<ColumnShape>, boolean]>([
    ['longer', { length: 90 }, true],
    ['shorter', { length: 10 }, false],
    ['without a limit', { length: null }, false],
    ['of another type', { dataType: 'int', length: null }, false],
    ['longer and of another collation', { length: 90, collation: 'binary' }, false],
    ['required', { nullable: false }, false],
  ])('a column that becomes %s', (_, changes, isChanged) => {
    const [old, wanted] = [column('title'), column('title', changes)];
    const { columns } = expandOne(table('a', [id, old]), table('a', [id, wanted]));
    expect(columns[1]).toEqual(isChanged ? wanted : old);
  });

  it('keeps what is dropped, renamed or forbidden', () => {
    const before = table('a', [id, column('old'), column('gone')], { indexes: [index('i', ['gone'])] });
    const after = table('a', [id, column('now')], {
      indexes: [index('j', ['id']), index('k', ['now']), index('l', ['id'], true)],
      uniques: [{ name: 'u', columns: ['id'] }],
      checks: [{ name: 'c', expression: { kind: 'raw', sql: 'true' } }],
    });
    const renames = { ...noRenames, fields: new Map([['a\0now', 'old']]) };
    expect(expandOne(before, after, renames)).toEqual({
      ...before,
      indexes: [...before.indexes, index('j', ['id'])],
    });
  });

  it('leaves indexes for later whose columns do not have their type yet', () => {
    const before = table('a', [id, column('body', { dataType: 'blob', length: null })]);
    const after = table('a', [id, column('body')], { indexes: [index('i', ['body']), index('j', ['id'])] });
    expect(expandOne(before, after)).toEqual({ ...before, indexes: [index('j', ['id'])] });
  });

  it('creates tables with the foreign keys that are possible already', () => {
    const target = table('target', [id, column('code')]);
    const created = table('b', [id, column('other')], {
      foreignKeys: [key('target', ['id']), key('target', ['code']), key('renamed', ['id'])],
    });
    const after = [
      { ...target, uniques: [{ name: 'u', columns: ['code'] }] },
      created,
      table('renamed', [id]),
    ];
    const renames = { ...noRenames, collections: new Map([['renamed', 'former']]) };
    const before = [target, table('former', [id])];
    expect(expandTables({ before, after, renames })).toEqual([
      ...before,
      { ...created, foreignKeys: [key('target', ['id'])] },
    ]);
  });
});

const catalogColumn = (name: string, changes: Partial<Column> = {}): Column => ({
  name,
  dbType: 'int',
  type: { kind: 'integer', bits: 32, signed: true },
  nullable: true,
  default: null,
  autoIncrement: false,
  generated: null,
  comment: null,
  ...changes,
});

const catalogTable = (name: string, columns: readonly Column[], changes: Partial<Table> = {}): Table => ({
  name,
  kind: 'table',
  comment: null,
  columns,
  primaryKey: ['id'],
  uniques: [],
  foreignKeys: [],
  indexes: [],
  ...changes,
});

const drop = [{ kind: 'D', lhs: {} }] as const;

describe('servers that have followed', () => {
  it('do not see what is dropped, but columns that rows need', () => {
    const [needed, gone] = [catalogColumn('needed', { nullable: false }), catalogColumn('gone')];
    const shown = catalogTable('shown', [catalogColumn('id'), needed]);
    const catalog: Catalog = {
      vendor: 'mysql',
      dialect: 'mysql',
      tables: [
        catalogTable('hidden', [catalogColumn('id')]),
        {
          ...shown,
          columns: [...shown.columns, gone],
          uniques: [{ name: 'u', columns: ['gone', 'needed'] }],
          indexes: [{ name: 'i', columns: ['gone'], unique: false }],
          foreignKeys: [
            {
              name: 'f',
              columns: ['needed'],
              table: 'hidden',
              references: ['id'],
              onUpdate: 'cascade',
              onDelete: 'cascade',
            },
          ],
        },
      ],
      meta: {
        collections: [{ collection: 'hidden' }, { collection: 'shown' }],
        fields: [
          { collection: 'hidden', field: 'id' },
          { collection: 'shown', field: 'gone' },
          { collection: 'shown', field: 'needed' },
        ],
        relations: [{ many_collection: 'shown', many_field: 'needed', one_collection: 'hidden' }],
      },
    };
    const diff: SentDiff = {
      collections: [{ collection: 'hidden', diff: drop }],
      fields: ['id', 'needed', 'gone'].map((field) => ({ collection: 'shown', field, diff: drop })),
      systemFields: [],
      relations: [],
    };
    expect(hideDropped(catalog, diff)).toEqual({
      ...catalog,
      tables: [shown],
      meta: {
        collections: [{ collection: 'shown' }],
        fields: [{ collection: 'shown', field: 'needed' }],
        relations: [],
      },
    });
  });
});
