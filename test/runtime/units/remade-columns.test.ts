/** Generated columns that PostgreSQL makes anew, because it refuses to change what they name. */
import { expect, it } from 'vitest';
import { remadeColumns } from '../../../runtime/databases/postgres/schema-generated.js';
import type { ColumnShape, TableShape } from '../../../runtime/schema/shapes.js';

/** @param from the column that a generated one names */
const column = (name: string, from: string | null = null, parts: object = {}): ColumnShape =>
  ({
    name,
    dataType: 'integer',
    generated:
      from === null
        ? null
        : { kind: 'stored', expression: { kind: 'tree', tree: { kind: 'column', name: from } } },
    ...parts,
  }) as unknown as ColumnShape;

const table = (columns: readonly ColumnShape[]): TableShape =>
  ({ name: 't', columns }) as unknown as TableShape;

const remade = (before: readonly ColumnShape[], after: readonly ColumnShape[]): readonly string[] => [
  ...remadeColumns(table(before), table(after)),
];

const [a, twice] = [column('a'), column('twice', 'a')];

it('is none where nothing that it names changes', () => {
  expect(remade([a, twice], [a, twice])).toEqual([]);
  expect(remade([a, column('b'), twice], [a, twice])).toEqual([]);
});

it.each([
  ['is dropped', []],
  ['gets another type', [column('a', null, { dataType: 'bigint' })]],
  ['becomes a generated one', [column('a', 'b')]],
])('is made anew where a column that it names %s', (_, others) => {
  expect(remade([a, twice], [...others, twice])).toEqual(['twice']);
});

it('is made anew where its expression is another one', () => {
  expect(remade([a, twice], [a, column('twice', 'b')])).toEqual(['twice']);
});
