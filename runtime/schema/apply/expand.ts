/**
 * The additive phase of an apply: what can be there while servers still use the schema before it. Pure.
 */
import type { Renames } from '../diff/renames.js';
import { findKeyRenames, type KeyKind } from '../key-renames.js';
import type { ColumnShape, ForeignKeyShape, IndexShape, TableShape } from '../shapes.js';

interface Plan {
  readonly before: readonly TableShape[];
  readonly after: readonly TableShape[];
  readonly renames: Renames;
}

/**
 * Returns the tables with everything new that takes nothing away: tables, columns that may be left out of a new row,
 * longer and nullable columns, indexes, comments.
 * @param plan `before` has the names of the database, or those after the renames; `after` those that are wanted
 */
export const expandTables = ({ before, after, renames }: Plan): readonly TableShape[] => {
  const wanted = new Map(after.map((table) => [table.name, table]));
  const present = new Set(before.map(({ name }) => name));
  const former = new Set(renames.collections.values());
  const expanded = before.map((table) => {
    const next = wanted.get(table.name);
    return next === undefined || former.has(table.name) || renames.collections.has(table.name)
      ? table
      : expandTable(table, next, { before, renames });
  });
  const created = after.filter(({ name }) => !present.has(name) && !renames.collections.has(name));
  const all = [...expanded, ...created];
  return [...expanded, ...created.map((table) => withPossibleKeys(table, all))];
};

type Context = Pick<Plan, 'before' | 'renames'>;

const expandTable = (table: TableShape, wanted: TableShape, context: Context): TableShape => {
  const old = new Map(table.columns.map((column) => [column.name, column]));
  const next = new Map(wanted.columns.map((column) => [column.name, column]));
  const columns = [
    ...table.columns.map((column) =>
      context.renames.fields.has(`${table.name}\0${column.name}`)
        ? column
        : loosened(column, next.get(column.name)),
    ),
    ...wanted.columns.filter((column) => !old.has(column.name) && isAdditive(column, table.name, context)),
  ];
  // an index of a binary column may get a length, and keep it when the column has become a text
  const finished = columns.filter((column) => column === next.get(column.name));
  const names = new Set(finished.map(({ name }) => name));
  // those that get another name later are there already
  const indexes = new Set([
    ...table.indexes.map(({ name }) => name),
    ...findKeyRenames(table, wanted, onlyIndexes).map(({ to }) => to),
  ]);
  return {
    ...table,
    comment: wanted.comment,
    columns,
    indexes: [
      ...table.indexes,
      ...wanted.indexes.filter((index) => !indexes.has(index.name) && isHarmless(index, names)),
    ],
  };
};

const onlyIndexes: ReadonlySet<KeyKind> = new Set(['indexes']);

/** Returns the column as it is wanted if it takes every value that it takes now. */
const loosened = (column: ColumnShape, wanted: ColumnShape | undefined): ColumnShape => {
  if (wanted === undefined) return column;
  const length = longer(column.length, wanted.length) ? wanted.length : column.length;
  const candidate = {
    ...column,
    length,
    nullable: column.nullable || wanted.nullable,
    default: wanted.default,
    comment: wanted.comment,
  };
  return JSON.stringify(candidate) === JSON.stringify(wanted) ? wanted : column;
};

const longer = (present: number | null, wanted: number | null): boolean =>
  present !== null && wanted !== null && wanted > present;

/** Returns whether those who do not know the column can store rows. */
const isAdditive = (column: ColumnShape, table: string, { before, renames }: Context): boolean =>
  (column.nullable || column.default !== null) &&
  column.generated === null &&
  column.autoIncrement === null &&
  !renames.fields.has(`${table}\0${column.name}`) &&
  !isOtherType(column, before);

/** Returns whether columns that are there have a type of that name with other values, which they share. */
const isOtherType = ({ dataType, values }: ColumnShape, before: readonly TableShape[]): boolean =>
  values !== null &&
  before.some(({ columns }) =>
    columns.some(
      (other) =>
        other.values !== null &&
        other.dataType === dataType &&
        JSON.stringify(other.values) !== JSON.stringify(values),
    ),
  );

const isHarmless = ({ unique, parts, predicate, include }: IndexShape, names: ReadonlySet<string>): boolean =>
  !unique &&
  predicate === null &&
  parts.every(({ column }) => column !== null && names.has(column)) &&
  include.every((column) => names.has(column));

/** Leaves out foreign keys to what is not there yet. */
const withPossibleKeys = (table: TableShape, all: readonly TableShape[]): TableShape => ({
  ...table,
  foreignKeys: table.foreignKeys.filter((key) => isPossible(key, all)),
});

const isPossible = ({ table, references }: ForeignKeyShape, all: readonly TableShape[]): boolean => {
  const target = all.find(({ name }) => name === table);
  // system tables are always there
  if (target === undefined) return table.startsWith('svc_');
  const keys = [target.primaryKey, ...target.uniques.map(({ columns }) => columns)];
  return keys.some((columns) => JSON.stringify(columns) === JSON.stringify(references));
};
