/** Converts a checked snapshot to the shapes of its tables, completed by what the target has. Pure. */
import { groupBy, sortBy } from '../../../generator/introspection/order.js';
import type { SchemaPrinter } from '../../databases/contract.js';
import { toAction } from '../catalog-shapes.js';
import { parseExpression } from '../expressions/parse.js';
import { neutralSyntax } from '../expressions/syntax.js';
import type { ColumnKind, ColumnKinds } from '../expressions/tree.js';
import type {
  ColumnShape,
  DefaultShape,
  Deferrable,
  ForeignKeyShape,
  IndexShape,
  SchemaExpression,
  TableShape,
} from '../shapes.js';
import { alignConstraints } from './align-constraints.js';
import { isSameLiteral, toLiteral } from './literals.js';
import { completeKeys } from './keys.js';
import type { FieldEntry, FieldSchema, IndexEntry, RelationEntry, Snapshot } from './types.js';

export interface ShapeContext {
  readonly printer: SchemaPrinter;
  /** Tables of the target, which say what a snapshot leaves out. */
  readonly current: ReadonlyMap<string, TableShape>;
  /** Collation of the target's database. */
  readonly collation: string | null;
}

/** Returns the shapes of the snapshot's tables, without views and folders. */
export const snapshotToShapes = (snapshot: Snapshot, context: ShapeContext): readonly TableShape[] => {
  const fields = groupBy(snapshot.fields, ({ collection }) => collection);
  const relations = groupBy(snapshot.relations, ({ collection }) => collection);
  return snapshot.collections.flatMap(({ collection, schema }) => {
    if (schema === null || schema === undefined || schema.is_view === true) return [];
    const columns = (fields.get(collection) ?? []).filter(hasColumn);
    return columns.length === 0
      ? []
      : [toTable(collection, { schema, columns, relations: relations.get(collection) ?? [] }, context)];
  });
};

type ColumnEntry = FieldEntry & { readonly schema: FieldSchema };

const hasColumn = (entry: FieldEntry): entry is ColumnEntry =>
  entry.schema !== undefined && entry.schema !== null;

interface TableParts {
  readonly schema: NonNullable<Snapshot['collections'][number]['schema']>;
  readonly columns: readonly ColumnEntry[];
  readonly relations: readonly RelationEntry[];
}

const toTable = (
  name: string,
  { schema, columns, relations }: TableParts,
  context: ShapeContext,
): TableShape => {
  const { printer, collation } = context;
  const current = context.current.get(name);
  const kinds: ColumnKinds = new Map(
    columns.map(({ field, schema: { data_type: type, enum_values: values } }) => [
      field,
      printer.dataType(printer.aliases?.get(type) ?? type, values ?? null)?.kind ?? 'other',
    ]),
  );
  const own = schema.collation === undefined ? (current?.collation ?? null) : schema.collation;
  const indexes = schema.indexes?.map((index) => toIndex(index, kinds)) ?? current?.indexes ?? [];
  const table: TableShape = {
    name,
    comment: schema.comment === undefined ? (current?.comment ?? null) : schema.comment || null,
    collation: own === collation ? null : own,
    options: {
      ...((schema.without_rowid ?? current?.options.withoutRowid) === true && { withoutRowid: true }),
      ...((schema.strict ?? current?.options.strict) === true && { strict: true }),
    },
    columns: columns.map((entry) => toColumn(entry, { current, printer, kinds })),
    primaryKey: schema.primary_key ?? current?.primaryKey ?? [],
    ...(printer.mapping.hasDeferrableUniques && toKeyDeferrable(schema, current)),
    ...splitUniques(toUniques(schema.uniques ?? current?.uniques ?? [], printer), indexes, printer),
    checks:
      schema.checks?.map(({ name: check, expression, enforced }) => ({
        name: check,
        expression: parseText(expression, kinds),
        ...(enforced === false && printer.mapping.hasUnenforcedChecks && { enforced }),
      })) ??
      current?.checks ??
      [],
    foreignKeys: relations.flatMap((relation) => toForeignKey(relation, current, printer)),
    ...toIncomplete(schema, current),
    triggers: current?.triggers ?? [],
  };
  return completeKeys(alignConstraints(table, current, printer), {
    entries: columns,
    current,
    schema,
    printer,
  });
};

/** An apply leaves what a snapshot does not describe as it is. */
const toIncomplete = (
  schema: TableParts['schema'],
  current: TableShape | undefined,
): Pick<TableShape, 'incomplete'> => {
  const incomplete = current === undefined ? schema.incomplete : current.incomplete;
  return incomplete === undefined || incomplete === null ? {} : { incomplete };
};

/** A snapshot without a list of columns says nothing about the key. */
const toKeyDeferrable = (
  { primary_key: columns, primary_key_deferrable: given }: TableParts['schema'],
  current: TableShape | undefined,
): Pick<TableShape, 'keyDeferrable'> => {
  const keyDeferrable = columns === undefined ? current?.keyDeferrable : (given ?? undefined);
  return keyDeferrable === undefined ? {} : { keyDeferrable };
};

const toUniques = (uniques: TableShape['uniques'], printer: SchemaPrinter): TableShape['uniques'] =>
  printer.mapping.hasDeferrableUniques ? uniques : uniques.map(({ name, columns }) => ({ name, columns }));

/** A unique index is a constraint where the two are the same. */
const splitUniques = (
  uniques: TableShape['uniques'],
  indexes: readonly IndexShape[],
  { uniqueIndexIsConstraint }: SchemaPrinter,
): Pick<TableShape, 'uniques' | 'indexes'> => {
  const isConstraint = ({ unique, incomplete, method, parts }: IndexShape): boolean =>
    uniqueIndexIsConstraint &&
    unique &&
    !incomplete &&
    method === null &&
    parts.every(({ column, descending, length }) => column !== null && !descending && length === null);
  const moved = indexes.filter(isConstraint);
  if (moved.length === 0) return { uniques, indexes };
  const constraints = moved.map(({ name, parts }) => ({
    name,
    columns: parts.flatMap(({ column }) => column ?? []),
  }));
  return {
    uniques: sortBy([...uniques, ...constraints], ({ name }) => name),
    indexes: indexes.filter((index) => !isConstraint(index)),
  };
};

const parseText = (sql: string, columns: ColumnKinds): SchemaExpression => {
  const tree = parseExpression(sql, { columns, syntax: neutralSyntax });
  return tree === null ? { kind: 'raw', sql } : { kind: 'tree', tree };
};

interface ColumnContext {
  readonly current: TableShape | undefined;
  readonly printer: SchemaPrinter;
  readonly kinds: ColumnKinds;
}

const given = <Value>(value: Value | undefined, other: Value | undefined): Value | null =>
  value === undefined ? (other ?? null) : value;

const toColumn = (
  { field, schema }: ColumnEntry,
  { current, printer, kinds }: ColumnContext,
): ColumnShape => {
  const present = current?.columns.find(({ name }) => name === field);
  const values = schema.enum_values === undefined ? (present?.values ?? null) : schema.enum_values;
  const dataType =
    values === null ? (printer.aliases?.get(schema.data_type) ?? schema.data_type) : schema.data_type;
  const type = printer.dataType(dataType, values);
  const sizes = {
    length: schema.max_length ?? null,
    precision: schema.numeric_precision ?? null,
    scale: schema.numeric_scale ?? null,
    fraction: given(schema.datetime_precision, present?.fraction),
  };
  return printer.normalizeColumn({
    name: field,
    dataType,
    ...keepSizes(sizes, type?.size ?? null, present),
    values: type?.size === 'values' ? values : null,
    ...(type?.size === 'srid' && { srid: given(schema.srid, present?.srid) }),
    ...(schema.is_invisible === true && printer.mapping.hasInvisibleColumns && { invisible: true }),
    nullable: schema.is_nullable ?? true,
    default: toDefault(schema, type?.kind ?? 'other', present?.default),
    generated:
      schema.is_generated === true && typeof schema.generation_expression === 'string'
        ? {
            expression: parseText(schema.generation_expression, kinds),
            stored:
              given(schema.generation_kind, present?.generated?.stored === false ? 'virtual' : 'stored') !==
              'virtual',
          }
        : null,
    autoIncrement:
      schema.has_auto_increment === true
        ? given(schema.auto_increment_kind, present?.autoIncrement ?? 'default')
        : null,
    onUpdate: given(schema.on_update, present?.onUpdate === true ? 'now()' : null) !== null,
    collation: given(schema.collation, present?.collation),
    comment: given(schema.comment, present?.comment) || null,
  });
};

type Sizes = Pick<ColumnShape, 'length' | 'precision' | 'scale' | 'fraction'>;

/** Numbers that a type does not have say nothing, so those of the target stay. */
const keepSizes = (sizes: Sizes, size: string | null, present: ColumnShape | undefined): Sizes => {
  const keep = (key: keyof Sizes, kind: string): number | null =>
    size === kind || size === null || present === undefined ? sizes[key] : present[key];
  return {
    length: keep('length', 'length'),
    precision: keep('precision', 'decimal'),
    scale: keep('scale', 'decimal'),
    fraction: keep('fraction', 'fraction'),
  };
};

/** Texts of a time column that mean the present where nobody says that they are expressions. */
const isNow = (value: unknown): boolean =>
  typeof value === 'string' && /^(?:now|current_timestamp)(?:\(\d?\))?$/i.test(value);

const toDefault = (
  schema: FieldSchema,
  kind: ColumnKind,
  present: DefaultShape | null | undefined,
): DefaultShape | null => {
  const { default_value: value, default_kind: given } = schema;
  if (value === null || value === undefined) return null;
  const isExpression = given === 'expression' || (given === undefined && kind === 'other' && isNow(value));
  if (isExpression && typeof value === 'string') {
    return { kind: 'expression', expression: parseText(value, new Map()) };
  }
  if (present?.kind === 'literal' && isSameLiteral(present.value, value, kind)) return present;
  return { kind: 'literal', value: toLiteral(value, kind) };
};

const toIndex = (index: IndexEntry, kinds: ColumnKinds): IndexShape => ({
  name: index.name,
  unique: index.unique,
  method: index.method ?? null,
  parts: index.columns.map((part) => {
    if (typeof part === 'string') return { column: part, expression: null, descending: false, length: null };
    return {
      column: part.column ?? null,
      expression: part.expression === undefined ? null : parseText(part.expression, kinds),
      descending: part.descending ?? false,
      length: part.length ?? null,
    };
  }),
  predicate: index.predicate === undefined ? null : parseText(index.predicate, kinds),
  include: index.include ?? [],
  incomplete: index.incomplete ?? false,
});

const toForeignKey = (
  { collection, field, schema }: RelationEntry,
  current: TableShape | undefined,
  printer: SchemaPrinter,
): readonly ForeignKeyShape[] => {
  if (schema === null || schema === undefined) return [];
  const columns = schema.columns ?? [schema.column ?? field];
  const present = current?.foreignKeys.find((key) => key.columns.join() === columns.join());
  return [
    {
      name: schema.constraint_name ?? present?.name ?? `${collection}_${columns.join('_')}_foreign`,
      columns,
      table: schema.foreign_key_table,
      references: schema.references ?? [schema.foreign_key_column],
      onUpdate: toAction(schema.on_update ?? 'NO ACTION', printer),
      onDelete: toAction(schema.on_delete ?? 'NO ACTION', printer),
      ...toDeferrable(schema.deferrable, printer),
    },
  ];
};

/** Returns the deferral of a relation as far as the database stores it. */
const toDeferrable = (
  given: Deferrable | null | undefined,
  { mapping }: SchemaPrinter,
): Pick<ForeignKeyShape, 'deferrable'> => {
  const isKept =
    mapping.deferrableRelations === 'any' ||
    (mapping.deferrableRelations === 'initially deferred' && given === 'deferred');
  return isKept && given !== undefined && given !== null ? { deferrable: given } : {};
};
