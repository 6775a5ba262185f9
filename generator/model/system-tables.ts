/** System tables as the spec declares them, the source of typed rows. */
import type { ColumnSpec, Spec } from '../spec/types.js';
import { compareText } from '../../contract/text-order.js';
import { collectionNames } from './naming.js';
import type { SystemColumn, SystemTable } from './types.js';

/** Returns every table that the spec declares with columns, internal ones too, sorted by name. */
export const buildSystemTables = (spec: Spec): readonly SystemTable[] =>
  [...spec.collections.values()]
    .flatMap(({ collection, columns }) => (columns === null ? [] : [specToTable(collection, columns)]))
    .sort((a, b) => compareText(a.name, b.name));

const specToTable = (name: string, columns: ReadonlyMap<string, ColumnSpec>): SystemTable => ({
  name,
  rowName: `${collectionNames(name, {}).type}Row`,
  columns: [...columns].map(specToColumn),
});

const specToColumn = ([name, column]: readonly [string, ColumnSpec]): SystemColumn => ({
  name,
  type: typeOf(column.type),
  nullable: column.nullable,
  optional: column.nullable || column.default !== undefined || column.autoIncrement === true,
});

const typeOf = (type: ColumnSpec['type']): SystemColumn['type'] => {
  switch (type) {
    case 'integer':
    case 'bigInteger':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'uuid':
    case 'string':
    case 'text':
    case 'json':
    case 'csv':
    case 'timestamp':
      return 'string';
  }
};
