/** Converts a catalog and its details to shapes. Pure. */
import type {
  Catalog,
  Column,
  ColumnDefault,
  ForeignKey,
  Table,
} from '../../generator/introspection/catalog.js';
import type {
  ColumnDetails,
  IndexDetails,
  SchemaDetails,
  TableDetails,
} from '../../generator/introspection/details.js';
import type { SchemaPrinter } from '../databases/contract.js';
import { parseExpression } from './expressions/parse.js';
import { normalizeNumber } from './expressions/numbers.js';
import type { ColumnKinds } from './expressions/tree.js';
import type {
  ColumnShape,
  DefaultShape,
  ForeignKeyShape,
  IndexShape,
  ReferenceAction,
  SchemaExpression,
  TableShape,
  UniqueShape,
} from './shapes.js';

/** Returns the shapes of tables, in the catalog's order; views have none. */
export const catalogToShapes = (
  catalog: Catalog,
  details: SchemaDetails,
  printer: SchemaPrinter,
): readonly TableShape[] =>
  catalog.tables.flatMap((table) => {
    const own = details.tables.get(table.name);
    return table.kind === 'view' || own === undefined ? [] : [tableToShape(table, own, printer)];
  });

interface Reading {
  readonly details: TableDetails;
  readonly printer: SchemaPrinter;
  readonly columns: ColumnKinds;
}

const tableToShape = (table: Table, details: TableDetails, printer: SchemaPrinter): TableShape => {
  const columns = new Map(
    table.columns.map(({ name }) => {
      const { dataType = '', values = null } = details.columns.get(name) ?? {};
      return [name, printer.dataType(dataType, values)?.kind ?? 'other'] as const;
    }),
  );
  const reading: Reading = { details, printer, columns };
  const uniques = details.indexes.filter(isUnique);
  return {
    name: table.name,
    comment: table.comment,
    collation: details.collation,
    options: {
      ...(table.options?.withoutRowid === true && { withoutRowid: true }),
      ...(table.options?.strict === true && { strict: true }),
    },
    columns: table.columns.map((column) => columnToShape(column, reading)),
    primaryKey: table.primaryKey ?? [],
    ...(details.keyDeferrable !== undefined && { keyDeferrable: details.keyDeferrable }),
    uniques: uniques.map(uniqueToShape),
    indexes: details.indexes.filter((index) => !isUnique(index)).map((index) => indexToShape(index, reading)),
    checks: details.checks.map(({ name, sql, enforced }, at) => ({
      name: name ?? `${table.name}_check_${at + 1}`,
      expression: parseSql(sql, reading),
      ...(enforced === false && { enforced }),
    })),
    foreignKeys: table.foreignKeys.map((key) => foreignKeyToShape(key, printer)),
    ...(details.incomplete !== undefined && { incomplete: details.incomplete }),
    triggers: details.triggers ?? [],
  };
};

/** A unique constraint; other unique indexes are not, as they are made and dropped in another way. */
const isUnique = ({ constraint, parts, incomplete }: IndexDetails): boolean =>
  constraint &&
  !incomplete &&
  parts.every(({ column, length, descending }) => column !== null && length === null && !descending);

const uniqueToShape = ({ name, parts, deferrable }: IndexDetails): UniqueShape => ({
  name,
  columns: parts.flatMap(({ column }) => column ?? []),
  ...(deferrable !== undefined && { deferrable }),
});

const parseSql = (sql: string, { printer, columns }: Reading): SchemaExpression => {
  const tree = parseExpression(sql, { columns, syntax: printer.syntax });
  return tree === null ? { kind: 'raw', sql } : { kind: 'tree', tree };
};

const columnToShape = (column: Column, reading: Reading): ColumnShape => {
  const details = reading.details.columns.get(column.name) ?? unknownColumn(column);
  // the database has no type of its own for it, but says that it is one
  const isJson = column.dbType === 'json' && details.dataType !== 'json';
  const { generated } = column;
  const isComputed = generated !== null && details.identity === null;
  return {
    name: column.name,
    dataType: isJson ? 'json' : details.dataType,
    length: isJson ? null : details.length,
    precision: details.precision,
    scale: details.scale,
    fraction: details.fraction,
    values: details.values,
    ...(details.srid !== undefined && { srid: details.srid }),
    ...(details.invisible === true && { invisible: true }),
    nullable: column.nullable,
    default: defaultToShape(column, reading),
    generated: isComputed
      ? { expression: parseSql(generated.expression, reading), stored: generated.stored }
      : null,
    autoIncrement: details.identity,
    onUpdate: column.onUpdate !== undefined,
    collation: isJson ? null : details.collation,
    comment: column.comment,
  };
};

const unknownColumn = ({ dbType }: Column): ColumnDetails => ({
  dataType: dbType,
  length: null,
  precision: null,
  scale: null,
  fraction: null,
  values: null,
  collation: null,
  identity: null,
});

const defaultToShape = ({ default: value, type, name }: Column, reading: Reading): DefaultShape | null => {
  if (value === null || reading.details.columns.get(name)?.identity === 'sequence') return null;
  if (value.kind === 'literal') return { kind: 'literal', value: readLiteral(value, type.kind) };
  // a default names no column
  const expression = parseSql(value.sql, { ...reading, columns: new Map() });
  if (expression.kind === 'raw') return { kind: 'expression', expression };
  const { tree } = expression;
  if (tree.kind === 'null') return null;
  if (tree.kind === 'text') return { kind: 'literal', value: tree.text };
  if (tree.kind === 'number') return { kind: 'literal', value: toNumber(tree.text) };
  return tree.kind === 'boolean'
    ? { kind: 'literal', value: tree.value }
    : { kind: 'expression', expression };
};

/** Numbers and booleans are values of JSON, unless it cannot hold them exactly. */
const readLiteral = (
  { value }: Extract<ColumnDefault, { kind: 'literal' }>,
  kind: Column['type']['kind'],
): string | number | boolean => {
  if (kind === 'boolean' && /^[01]$/.test(value)) return value === '1';
  const isNumber = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(value);
  if (!isNumber) return value;
  if (kind === 'decimal') return normalizeNumber(value);
  return kind === 'integer' || kind === 'float' ? toNumber(value) : value;
};

const toNumber = (text: string): number | string => {
  const number = Number(text);
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? text : number;
};

const indexToShape = (index: IndexDetails, reading: Reading): IndexShape => ({
  name: index.name,
  unique: index.unique,
  method: index.method,
  parts: index.parts.map(({ column, sql, descending, length }) => ({
    column,
    expression: sql === null ? null : parseSql(sql, reading),
    descending,
    length,
  })),
  predicate: index.predicate === null ? null : parseSql(index.predicate, reading),
  include: index.include,
  incomplete: index.incomplete,
});

const foreignKeyToShape = (key: ForeignKey, printer: SchemaPrinter): ForeignKeyShape => ({
  name: key.name,
  columns: key.columns,
  table: key.table,
  references: key.references,
  onUpdate: toAction(key.onUpdate.toUpperCase(), printer),
  onDelete: toAction(key.onDelete.toUpperCase(), printer),
  ...(key.deferrable !== undefined && { deferrable: key.deferrable }),
});

/** Returns `RESTRICT` for both words where they are the same. */
export const toAction = (action: string, { noActionIsRestrict }: SchemaPrinter): ReferenceAction =>
  action === 'NO ACTION' && noActionIsRestrict ? 'RESTRICT' : (action as ReferenceAction);
