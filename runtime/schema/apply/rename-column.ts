/** Renames a column in the shape of its table. Pure. */
import { renameColumns } from '../expressions/tree.js';
import type { SchemaExpression, TableShape } from '../shapes.js';

export interface ColumnRename {
  readonly from: string;
  readonly to: string;
}

/** Returns the table with the new name of the column wherever it is named; expressions outside of the grammar stay. */
export const renameInTable = (table: TableShape, { from, to }: ColumnRename): TableShape => {
  const names = new Map([[from, to]]);
  const column = (name: string): string => names.get(name) ?? name;
  const expression = <Text extends SchemaExpression | null>(text: Text): Text =>
    text?.kind === 'tree' ? { ...text, tree: renameColumns(text.tree, names) } : text;
  return {
    ...table,
    columns: table.columns.map(({ name, generated, ...rest }) =>
      Object.assign(rest, {
        name: column(name),
        generated: generated === null ? null : { ...generated, expression: expression(generated.expression) },
      }),
    ),
    primaryKey: table.primaryKey.map(column),
    uniques: table.uniques.map(({ columns, ...rest }) =>
      Object.assign(rest, { columns: columns.map(column) }),
    ),
    indexes: table.indexes.map(({ parts, predicate, include, ...rest }) =>
      Object.assign(rest, {
        parts: parts.map((part) =>
          Object.assign({}, part, {
            column: part.column === null ? null : column(part.column),
            expression: expression(part.expression),
          }),
        ),
        predicate: expression(predicate),
        include: include.map(column),
      }),
    ),
    checks: table.checks.map((check) =>
      Object.assign({}, check, { expression: expression(check.expression) }),
    ),
    foreignKeys: table.foreignKeys.map(({ columns, ...rest }) =>
      Object.assign(rest, { columns: columns.map(column) }),
    ),
  };
};
