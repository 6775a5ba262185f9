/** Generated columns, which stand in the way of changes to the columns that they name. */
import { columnsIn } from '../../schema/expressions/tree.js';
import type { ColumnShape, IndexShape, SchemaExpression, TableShape } from '../../schema/shapes.js';
import { isSameType } from './schema-columns.js';

/** Columns that an expression names; null for any, as one outside of the grammar may. */
const namesIn = (expression: SchemaExpression): readonly string[] | null =>
  expression.kind === 'tree' ? columnsIn(expression.tree) : null;

/** Returns the generated columns that are dropped before everything else, if only to be added again at the end. */
export const remadeColumns = (before: TableShape, after: TableShape): ReadonlySet<string> => {
  const wanted = new Map(after.columns.map((column) => [column.name, column]));
  const changed = new Set(
    before.columns
      .filter((column) => {
        if (column.generated !== null) return false;
        const next = wanted.get(column.name);
        return next === undefined || next.generated !== null || !isSameType(column, next);
      })
      .map(({ name }) => name),
  );
  const isRemade = ({ name, generated }: ColumnShape): boolean => {
    if (generated === null) return false;
    const next = wanted.get(name);
    if (JSON.stringify(next?.generated) !== JSON.stringify(generated)) return true;
    return (namesIn(generated.expression) ?? [...changed]).some((column) => changed.has(column));
  };
  return new Set(before.columns.filter(isRemade).map(({ name }) => name));
};

/** Returns the columns of which the type changes, and those that are made anew, which PostgreSQL refuses under a view. */
export const replacedColumns = (before: TableShape, after: TableShape): readonly string[] => {
  const wanted = new Map(after.columns.map((column) => [column.name, column]));
  const isChanged = (column: ColumnShape): boolean => {
    const next = wanted.get(column.name);
    if (next === undefined) return false;
    return !isSameType(column, next) || JSON.stringify(column.generated) !== JSON.stringify(next.generated);
  };
  const changed = before.columns.filter(isChanged).map(({ name }) => name);
  return [...new Set([...changed, ...remadeColumns(before, after)])];
};

/** Returns the table without columns, and without the constraints and indexes that go with them. */
export const withoutColumns = (table: TableShape, gone: ReadonlySet<string>): TableShape => {
  if (gone.size === 0) return table;
  const stays = (names: readonly (string | null)[] | null): boolean =>
    names !== null && !names.some((name) => name !== null && gone.has(name));
  return {
    ...table,
    columns: table.columns.filter(({ name }) => !gone.has(name)),
    uniques: table.uniques.filter(({ columns }) => stays(columns)),
    indexes: table.indexes.filter((index) => stays(namesOfIndex(index))),
    checks: table.checks.filter(({ expression }) => stays(namesIn(expression))),
  };
};

const namesOfIndex = ({ parts, include, predicate }: IndexShape): readonly (string | null)[] | null => {
  const lists = [...parts.map(({ expression }) => expression), predicate].map((expression) =>
    expression === null ? [] : namesIn(expression),
  );
  if (lists.includes(null)) return null;
  return [...parts.map(({ column }) => column), ...include, ...lists.flatMap((list) => list ?? [])];
};
