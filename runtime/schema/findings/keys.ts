/** Finds rows that new keys do not allow. */
import { addedForeignKeys } from '../apply/plan.js';
import { printCounted } from '../row-counts.js';
import type { ColumnShape, TableShape } from '../shapes.js';
import { isConverted } from './type-changes.js';
import {
  askCount,
  collationOf,
  quoteColumn,
  quoteTable,
  type Finding,
  type FindingContext,
} from './finding.js';

/** Rows that a new unique constraint or primary key would not allow. */
export const findDuplicates = async (
  table: TableShape,
  present: TableShape,
  context: FindingContext,
): Promise<readonly Finding[]> => {
  const known = new Set(
    [present.primaryKey, ...present.uniques.map(({ columns }) => columns)].map((columns) =>
      columns.join('\0'),
    ),
  );
  const added = [
    table.primaryKey,
    ...table.uniques.map(({ columns }) => columns),
    ...uniqueIndexes(table),
  ].filter(
    (columns) =>
      columns.length > 0 &&
      (!known.has(columns.join('\0')) || columns.some((name) => isCollated(name, present, table))),
  );
  const findings: Finding[] = [];
  for (const fields of added) {
    const names = valuesOf({ present, wanted: table, columns: fields }, context);
    if (names === null) continue;
    const isSet = names.map((name) => `${name} is not null`).join(' and ');
    const count = await askCount(
      `select 1 as one from ${quoteTable(table.name, context)} where ${isSet} ` +
        `group by ${names.join(', ')} having count(*) > 1`,
      `"${table.name}": the database cannot compare values of the type of ${fields.join(', ')}, so they cannot be unique`,
      context,
    );
    const message = `"${table.name}": ${printCounted(count, 'value', 'values')} of ${fields.join(', ')} ${count.rows === 1 ? 'is' : 'are'} there more than once`;
    if (count.rows > 0)
      findings.push({ kind: 'duplicates', collection: table.name, fields, ...count, message });
  }
  return findings;
};

const uniqueIndexes = ({ indexes }: TableShape): readonly (readonly string[])[] =>
  indexes
    .filter(
      ({ unique, predicate, parts }) =>
        unique && predicate === null && parts.every(({ column }) => column !== null),
    )
    .map(({ parts }) => parts.flatMap(({ column }) => column ?? []));

interface Asked {
  readonly present: TableShape | undefined;
  readonly wanted: TableShape | undefined;
  readonly columns: readonly string[];
  /** Name of the table in the query, with a point. */
  readonly alias?: string;
}

const columnOf = (table: TableShape | undefined, name: string): ColumnShape | undefined =>
  table?.columns.find((column) => column.name === name);

const isCollated = (name: string, present: TableShape, wanted: TableShape): boolean =>
  columnOf(present, name)?.collation !== columnOf(wanted, name)?.collation;

/**
 * Prints the values of columns, as they will be compared. Returns null where they are not known before the change: what it
 * makes has none yet, and what it converts may be comparable only afterwards. A database that cannot roll the change back
 * compares values of all types, and is asked all the same.
 */
const valuesOf = (
  { present, wanted, columns, alias = '' }: Asked,
  context: FindingContext,
): readonly string[] | null => {
  const { printer } = context;
  const values = columns.map((name) => {
    const [old, column] = [columnOf(present, name), columnOf(wanted, name)];
    if (wanted === undefined || old === undefined || column === undefined) return null;
    const value = `${alias}${quoteColumn(wanted.name, name, context)}`;
    if (old.collation !== column.collation)
      return printer.collations?.convert(value, collationOf(column, wanted, context)) ?? null;
    return printer.transactional && isConverted(old, column, printer) ? null : value;
  });
  return values.every((value) => value !== null) ? values : null;
};

const keyOf = (key: TableShape['foreignKeys'][number]): string =>
  JSON.stringify([key.columns, key.table, key.references]);

type Tables = ReadonlyMap<string, TableShape>;

/** Rows whose foreign key would refer to nothing, where it is new or has to be added again. */
export const findOrphans = async (
  { before, after }: { readonly before: Tables; readonly after: Tables },
  context: FindingContext,
): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  for (const [table, key] of addedForeignKeys(before, after, context.printer)) {
    // what is made anew as a whole keeps rows that its keys would not allow
    const isKept =
      context.printer.addForeignKey === null &&
      before.get(table)?.foreignKeys.some((other) => keyOf(other) === keyOf(key)) === true;
    const values = (name: string, columns: readonly string[], alias: string) =>
      valuesOf({ present: before.get(name), wanted: after.get(name), columns, alias }, context);
    const [columns, references] = [values(table, key.columns, 'm.'), values(key.table, key.references, 'o.')];
    if (isKept || columns === null || references === null) continue;
    const join = columns.map((column, at) => `${references[at]} = ${column}`);
    const name = `"${table}.${key.columns.join(', ')}"`;
    const count = await askCount(
      `select 1 as one from ${quoteTable(table, context)} m ` +
        `where ${columns.map((column) => `${column} is not null`).join(' and ')} ` +
        `and not exists (select 1 from ${quoteTable(key.table, context)} o where ${join.join(' and ')})`,
      `the database cannot compare ${name} with "${key.table}.${key.references.join(', ')}"; ` +
        'give both the same type and collation',
      context,
    );
    const message = `${name}: ${printCounted(count, 'row refers', 'rows refer')} to no row of "${key.table}"`;
    if (count.rows > 0)
      findings.push({ kind: 'orphans', collection: table, fields: key.columns, ...count, message });
  }
  return findings;
};
