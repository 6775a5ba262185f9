/** Converts the system tables declared in the spec to the form from which DDL is printed. */
import type { CollectionSpec, ColumnSpec, Spec } from '../../generator/spec/types.js';

export interface SystemTable {
  readonly name: string;
  readonly columns: readonly SystemColumn[];
  readonly primaryKey: readonly string[];
  readonly uniques: readonly NamedColumns[];
  /** Includes one index per foreign key, because not all databases create them. */
  readonly indexes: readonly NamedColumns[];
}

export interface SystemColumn extends ColumnSpec {
  readonly name: string;
}

/** A constraint or index with its columns. */
export interface NamedColumns {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface SystemForeignKey {
  readonly name: string;
  readonly column: string;
  readonly table: string;
  readonly references: string;
  readonly onDelete: 'cascade' | 'set null' | 'restrict';
}

/** Returns tables declared with columns, sorted by name. */
export const systemTables = (spec: Spec): readonly SystemTable[] =>
  [...spec.collections.values()]
    .filter((collection) => collection.columns !== null)
    .map(specToTable)
    .sort((a, b) => (a.name < b.name ? -1 : 1));

const specToTable = (spec: CollectionSpec): SystemTable => {
  const name = spec.collection;
  const columns = [...(spec.columns ?? [])].map(([column, options]) =>
    Object.assign({ name: column }, options),
  );
  const uniqueColumns = columns.filter((column) => column.unique === true).map((column) => [column.name]);
  const indexed = columns.filter((column) => column.index === true || column.references !== undefined);
  const uniques = [...uniqueColumns, ...spec.uniques];
  return {
    name,
    columns,
    primaryKey: columns.filter((column) => column.key === true).map((column) => column.name),
    uniques: uniques.map((names) => ({ name: `${name}_${names.join('_')}_unique`, columns: names })),
    indexes: [...indexed.map((column) => [column.name]), ...spec.indexes]
      .filter(([first]) => !uniques.some((names) => names[0] === first))
      .map((names) => ({ name: `${name}_${names.join('_')}_index`, columns: names })),
  };
};

/** Returns the foreign keys of a table, one per referencing column. */
export const foreignKeysOf = (table: SystemTable): readonly SystemForeignKey[] =>
  table.columns.flatMap((column) => {
    if (column.references === undefined) return [];
    const { table: target, column: references, onDelete } = column.references;
    return [
      {
        name: `${table.name}_${column.name}_foreign`,
        column: column.name,
        table: target,
        references,
        onDelete,
      },
    ];
  });
