/** Describes the columns of tables and views as the fields of a snapshot. Pure. */
import type { Column, Table } from '../../../generator/introspection/catalog.js';
import type { SchemaPrinter } from '../../databases/contract.js';
import { printNeutral } from '../expressions/print.js';
import type { NeutralType } from '../mapping/types.js';
import type { ColumnShape, IndexShape, SchemaExpression, TableShape } from '../shapes.js';
import { metaOfField, rowsBy } from './meta.js';
import type { FieldEntry, FieldSchema, Meta } from './types.js';
import type { LiveSchema } from './write.js';

/** Returns the fields of tables in table order, those without a column last. */
export const fieldEntries = (tables: readonly Table[], schema: LiveSchema): readonly FieldEntry[] => {
  const rows = rowsBy(schema.catalog.meta.fields, 'collection', 'field');
  const shapes = new Map(schema.shapes.map((shape) => [shape.name, shape]));
  const aliases = schema.catalog.meta.fields.filter(
    (row) => !schema.systemTables.has(String(row.collection)),
  );
  return tables.flatMap((table): FieldEntry[] => {
    const shape = shapes.get(table.name);
    const names = new Set(table.columns.map(({ name }) => name));
    return [
      ...table.columns.map((column): FieldEntry => {
        const meta = metaOfField(rows.get(`${table.name}\0${column.name}`));
        return {
          collection: table.name,
          field: column.name,
          type: fieldType(column, meta),
          meta,
          schema: columnSchema(column, shape, { table: table.name, printer: schema.printer }),
        };
      }),
      ...aliases
        .filter((row) => row.collection === table.name && !names.has(String(row.field)))
        .map((row) => ({
          collection: table.name,
          field: String(row.field),
          type: 'alias',
          meta: metaOfField(row),
        })),
    ];
  });
};

const columnSchema = (
  column: Column,
  shape: TableShape | undefined,
  { table, printer }: { readonly table: string; readonly printer: SchemaPrinter },
): FieldSchema => {
  const own = shape?.columns.find(({ name }) => name === column.name);
  return shape === undefined || own === undefined
    ? viewField(column, table)
    : fieldSchema(own, shape, printer);
};

/** Describes a column of a view, which has a type and nothing else. */
const viewField = ({ name, dbType, nullable }: Column, table: string): FieldSchema => ({
  name,
  table,
  data_type: dbType,
  ...plainColumn(nullable),
});

/** Returns the properties of a column of which only name and type are known. */
export const plainColumn = (isNullable: boolean): Omit<FieldSchema, 'name' | 'table' | 'data_type'> => ({
  default_value: null,
  max_length: null,
  numeric_precision: null,
  numeric_scale: null,
  is_nullable: isNullable,
  is_unique: false,
  is_primary_key: false,
  is_generated: false,
  generation_expression: null,
  has_auto_increment: false,
  foreign_key_table: null,
  foreign_key_column: null,
});

/** Returns the `schema` of a field. Its foreign key is part of it only where it has no other column. */
export const fieldSchema = (column: ColumnShape, table: TableShape, printer: SchemaPrinter): FieldSchema => {
  const { name, generated } = column;
  const key = table.foreignKeys.find(({ columns }) => columns.length === 1 && columns[0] === name);
  return {
    name,
    table: table.name,
    data_type: column.dataType,
    ...printDefault(column),
    max_length: column.length,
    numeric_precision: column.precision,
    numeric_scale: column.scale,
    datetime_precision: column.fraction,
    enum_values: column.values,
    ...(column.srid !== undefined && { srid: column.srid }),
    ...(column.invisible === true && { is_invisible: true }),
    is_nullable: column.nullable,
    is_unique: isUniqueColumn(name, table),
    is_indexed: isIndexedColumn(name, table, printer),
    is_primary_key: table.primaryKey.includes(name),
    is_generated: generated !== null,
    generation_expression: generated === null ? null : expressionText(generated.expression),
    generation_kind: generated === null ? null : generated.stored ? 'stored' : 'virtual',
    has_auto_increment: column.autoIncrement !== null,
    auto_increment_kind: column.autoIncrement,
    on_update: column.onUpdate ? 'now()' : null,
    collation: column.collation,
    comment: column.comment,
    foreign_key_table: key?.table ?? null,
    foreign_key_column: key?.references[0] ?? null,
  };
};

const printDefault = ({
  default: value,
}: ColumnShape): Pick<FieldSchema, 'default_value' | 'default_kind'> => {
  if (value === null) return { default_value: null, default_kind: null };
  return {
    default_value: value.kind === 'literal' ? value.value : expressionText(value.expression),
    default_kind: value.kind,
  };
};

/** Returns whether a unique constraint or index covers this column alone. */
export const isUniqueColumn = (name: string, shape: TableShape): boolean =>
  shape.uniques.some(({ columns }) => columns.length === 1 && columns[0] === name) ||
  shape.indexes.some((index) => index.unique && isIndexOf(name, index));

/** Returns whether an index is on this column alone, with no condition. */
export const isIndexOf = (name: string, { parts, predicate }: IndexShape): boolean =>
  parts.length === 1 && parts[0]?.column === name && predicate === null;

/** Returns `is_indexed`; some databases also index each foreign key by themselves. */
export const isIndexedColumn = (name: string, shape: TableShape, printer: SchemaPrinter): boolean =>
  shape.indexes.some((index) => !index.unique && isIndexOf(name, index)) ||
  (printer.indexesForeignKeys &&
    shape.foreignKeys.some(({ columns }) => columns.length === 1 && columns[0] === name));

/** Types of fields by the kind of their columns, where both differ. */
const types: Readonly<Record<string, string>> = {
  enum: 'string',
  set: 'csv',
  list: 'json',
  notation: 'string',
  year: 'integer',
};

/** Returns the type of a field without specials. */
export const typeOfKind = (type: Column['type'] | NeutralType): string => {
  if (type.kind === 'integer') return type.bits === 64 ? 'bigInteger' : 'integer';
  return types[type.kind] ?? type.kind;
};

/** Specials that are types. */
const specials: ReadonlyMap<string, string> = new Map([
  ['cast-json', 'json'],
  ['cast-csv', 'csv'],
  ['cast-boolean', 'boolean'],
  ['cast-timestamp', 'timestamp'],
  ['uuid', 'uuid'],
  ['hash', 'hash'],
]);

/** Returns the type of a field, which a special may set. */
const fieldType = ({ type }: Column, meta: Meta | null): string => {
  const special = Array.isArray(meta?.special) ? meta.special.map(String) : [];
  const named = special.map((word) => specials.get(word)).find((found) => found !== undefined);
  return named ?? typeOfKind(type);
};

/** Prints an expression in neutral SQL, or as the database has it where it is not understood. */
export const expressionText = (expression: SchemaExpression): string =>
  expression.kind === 'tree' ? printNeutral(expression.tree) : expression.sql;
