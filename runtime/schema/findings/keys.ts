/** Finds rows that new keys do not allow. */
import type { TableShape } from '../shapes.js';
import { quoteColumn, quoteTable, type Finding, type FindingContext } from './finding.js';

/** Rows that a new unique constraint or primary key would not allow. */
export const findDuplicates = async (
  table: TableShape,
  present: TableShape,
  context: FindingContext,
): Promise<readonly Finding[]> => {
  const old = new Set(present.columns.map(({ name }) => name));
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
      columns.length > 0 && columns.every((column) => old.has(column)) && !known.has(columns.join('\0')),
  );
  const findings: Finding[] = [];
  for (const fields of added) {
    const names = fields.map((field) => quoteColumn(table.name, field, context));
    const isSet = names.map((name) => `${name} is not null`).join(' and ');
    const [row] = await context.executor.query(
      `select count(*) as n from (select 1 as one from ${quoteTable(table.name, context)} where ${isSet} ` +
        `group by ${names.join(', ')} having count(*) > 1) as doubles`,
    );
    const rows = Number(row?.n ?? 0);
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

const keyOf = (key: TableShape['foreignKeys'][number]): string =>
  JSON.stringify([key.columns, key.table, key.references]);

const hasColumns = (
  tables: ReadonlyMap<string, TableShape>,
  name: string,
  columns: readonly string[],
): boolean => {
  const names = new Set(tables.get(name)?.columns.map((column) => column.name));
  return columns.every((column) => names.has(column));
};

/** Rows whose new foreign key would refer to nothing. */
export const findOrphans = async (
  table: TableShape,
  tables: ReadonlyMap<string, TableShape>,
  context: FindingContext,
): Promise<readonly Finding[]> => {
  const known = new Set((tables.get(table.name)?.foreignKeys ?? []).map(keyOf));
  const findings: Finding[] = [];
  for (const key of table.foreignKeys) {
    // what the same diff makes has no rows yet
    const isNew =
      !hasColumns(tables, table.name, key.columns) || !hasColumns(tables, key.table, key.references);
    if (known.has(keyOf(key)) || isNew) continue;
    const columns = key.columns.map((column) => `m.${quoteColumn(table.name, column, context)}`);
    const join = columns.map(
      (column, at) => `o.${quoteColumn(key.table, key.references[at] ?? '', context)} = ${column}`,
    );
    const [row] = await context.executor.query(
      `select count(*) as n from ${quoteTable(table.name, context)} m ` +
        `where ${columns.map((column) => `${column} is not null`).join(' and ')} ` +
        `and not exists (select 1 from ${quoteTable(key.table, context)} o where ${join.join(' and ')})`,
    );
    const rows = Number(row?.n ?? 0);
    const message = `"${table.name}.${key.columns.join(', ')}": ${rows} rows refer to no row of "${key.table}"`;
    if (rows > 0)
      findings.push({ kind: 'orphans', collection: table.name, fields: key.columns, rows, message });
  }
  return findings;
};
