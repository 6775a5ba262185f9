/** Finds rows that new keys do not allow. */
import { addedForeignKeys } from '../apply/plan.js';
import type { TableShape } from '../shapes.js';
import { isConverted } from './columns.js';
import { askNumber, quoteColumn, quoteTable, type Finding, type FindingContext } from './finding.js';

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
      canBeAsked({ present, wanted: table, columns }, context) &&
      !known.has(columns.join('\0')),
  );
  const findings: Finding[] = [];
  for (const fields of added) {
    const names = fields.map((field) => quoteColumn(table.name, field, context));
    const isSet = names.map((name) => `${name} is not null`).join(' and ');
    const rows = await askNumber(
      `select count(*) as n from (select 1 as one from ${quoteTable(table.name, context)} where ${isSet} ` +
        `group by ${names.join(', ')} having count(*) > 1) as doubles`,
      `"${table.name}": the database cannot compare values of the type of ${fields.join(', ')}, so they cannot be unique`,
      context,
    );
    const message = `"${table.name}": ${rows} values of ${fields.join(', ')} are there more than once`;
    if (rows > 0) findings.push({ kind: 'duplicates', collection: table.name, fields, rows, message });
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
}

/**
 * Returns whether columns have the values that they shall have: what the same diff makes has none yet, and what it converts
 * may be comparable only afterwards. A database without transactions for DDL is asked all the same, as it compares all types.
 */
const canBeAsked = ({ present, wanted, columns }: Asked, { printer }: FindingContext): boolean =>
  columns.every((name) => {
    const [old, column] = [present, wanted].map((table) => table?.columns.find((each) => each.name === name));
    if (old === undefined || column === undefined) return false;
    return (
      old.collation === column.collation && !(printer.transactional && isConverted(old, column, printer))
    );
  });

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
    const asked = [
      { present: before.get(table), wanted: after.get(table), columns: key.columns },
      { present: before.get(key.table), wanted: after.get(key.table), columns: key.references },
    ];
    if (isKept || !asked.every((each) => canBeAsked(each, context))) continue;
    const columns = key.columns.map((column) => `m.${quoteColumn(table, column, context)}`);
    const join = columns.map(
      (column, at) => `o.${quoteColumn(key.table, key.references[at] ?? '', context)} = ${column}`,
    );
    const name = `"${table}.${key.columns.join(', ')}"`;
    const rows = await askNumber(
      `select count(*) as n from ${quoteTable(table, context)} m ` +
        `where ${columns.map((column) => `${column} is not null`).join(' and ')} ` +
        `and not exists (select 1 from ${quoteTable(key.table, context)} o where ${join.join(' and ')})`,
      `the database cannot compare ${name} with "${key.table}.${key.references.join(', ')}"; ` +
        'give both the same type and collation',
      context,
    );
    const message = `${name}: ${rows} rows refer to no row of "${key.table}"`;
    if (rows > 0) findings.push({ kind: 'orphans', collection: table, fields: key.columns, rows, message });
  }
  return findings;
};
