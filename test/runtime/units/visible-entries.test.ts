/** Descriptions of the schema name nothing that the caller may not read. */
import { expect, it } from 'vitest';
import { visibleEntries, type VisibleNames } from '../../../runtime/schema/visible-entries.js';
import type { FieldEntry, RelationEntry, Snapshot } from '../../../runtime/schema/snapshot/types.js';

const field = (name: string, schema: object = {}): FieldEntry => ({
  collection: 'task',
  field: name,
  type: 'string',
  meta: null,
  schema: { name, table: 'task', generation_expression: null, ...schema } as never,
});

const relation = (collection: string, name: string, meta: object, related: string | null): RelationEntry => ({
  collection,
  field: name,
  related_collection: related,
  meta: { ...meta },
  schema: null,
});

const uniques = [
  { name: 'code', columns: ['code'] },
  { name: 'salary', columns: ['code', 'salary'] },
];
const indexes = [
  { name: 'by_code', unique: false, columns: ['code', { column: 'title', descending: true }] },
  { name: 'by_salary', unique: false, columns: [{ column: 'salary' }] },
  { name: 'covering', unique: false, columns: ['code'], include: ['salary'] },
  { name: 'partial', unique: false, columns: ['code'], predicate: 'salary > 9' },
  { name: 'computed', unique: false, columns: [{ expression: 'salary * 2' }] },
];
const checks = [{ name: 'pay', expression: 'salary < 90000' }];
const incomplete = ['A trigger writes "salary".'];

const task = { name: 'task', primary_key: ['id'], uniques, indexes, checks, incomplete };
const snapshot: Pick<Snapshot, 'collections' | 'fields' | 'relations'> = {
  collections: [{ collection: 'task', meta: null, schema: task }],
  fields: [field('code'), field('salary'), field('level', { generation_expression: 'salary / 100' })],
  relations: [
    relation('block', 'item', { one_allowed_collections: ['task', 'vault'], junction_field: 'page' }, null),
    relation(
      'block',
      'task',
      { one_field: 'blocks', sort_field: 'position', junction_field: 'item' },
      'task',
    ),
  ],
};

const describe = (names: Readonly<Record<string, '*' | readonly string[]>>) => {
  const visibleNames: VisibleNames = (name) => {
    const found = names[name];
    return found === undefined ? null : found === '*' ? '*' : new Set(found);
  };
  return visibleEntries(snapshot, visibleNames);
};

it('callers who may read some fields see neither constraints, indexes nor expressions of others', () => {
  const { collections, fields } = describe({ task: ['id', 'title', 'code', 'level'] });
  expect(collections.map(({ schema }) => schema)).toEqual([
    { name: 'task', primary_key: ['id'], uniques: [uniques[0]], indexes: [indexes[0]], checks: [] },
  ]);
  expect(fields.map(({ field: name, schema }) => [name, schema?.generation_expression])).toEqual([
    ['code', null],
    ['level', null],
  ]);
});

it('callers who may read every field see all of it', () => {
  const { collections, fields } = describe({ task: '*' });
  expect(collections[0]?.schema).toEqual(task);
  expect(fields.at(-1)?.schema?.generation_expression).toBe('salary / 100');
});

it('relations name only collections and fields that the caller may read', () => {
  const { relations } = describe({ block: ['item', 'task', 'position'], task: ['id'] });
  expect(relations.map(({ meta }) => meta)).toEqual([
    expect.objectContaining({ one_allowed_collections: ['task'], junction_field: null }),
    expect.objectContaining({ one_field: null, sort_field: 'position', junction_field: 'item' }),
  ]);
  expect(describe({ block: '*', task: ['blocks'], vault: [] }).relations.map(({ meta }) => meta)).toEqual([
    expect.objectContaining({ one_allowed_collections: ['task', 'vault'], junction_field: 'page' }),
    expect.objectContaining({ one_field: 'blocks', sort_field: 'position' }),
  ]);
});
