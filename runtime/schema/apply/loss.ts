/** Asks the data what a change of its tables would lose or break, before anything is changed. */
import { apiError, invalidPayload, type ApiError } from '../../../contract/errors.js';
import type { SchemaPrinter, Executor } from '../../databases/contract.js';
import type { ColumnShape, TableShape } from '../shapes.js';

interface LossContext {
  readonly executor: Pick<Executor, 'query' | 'quote'>;
  readonly printer: SchemaPrinter;
  /** Whether values may be shortened or converted. */
  readonly acceptLoss: boolean;
}

/** Returns a problem for every change that data stands against. */
export const findLoss = async (
  before: readonly TableShape[],
  after: readonly TableShape[],
  context: LossContext,
): Promise<readonly ApiError[]> => {
  const old = new Map(before.map((table) => [table.name, table]));
  const problems: ApiError[] = [];
  for (const table of after) {
    const present = old.get(table.name);
    if (present === undefined || JSON.stringify(present) === JSON.stringify(table)) continue;
    for (const column of table.columns) {
      problems.push(...(await findColumnLoss(table, { column, present }, context)));
    }
    problems.push(
      ...(await findDuplicates(table, present, context)),
      ...(await findOrphans(table, old, context)),
    );
  }
  return problems;
};

interface ColumnChange {
  readonly column: ColumnShape;
  readonly present: TableShape;
}

const findColumnLoss = async (
  { name: table }: TableShape,
  { column, present }: ColumnChange,
  context: LossContext,
): Promise<readonly ApiError[]> => {
  const old = present.columns.find(({ name }) => name === column.name);
  if (old === undefined) return findMissingValues(table, column, context);
  const problems: ApiError[] = [];
  const { executor, acceptLoss } = context;
  const name = executor.quote(column.name);
  if (old.nullable && !column.nullable && (await count(table, `${name} is null`, context)) > 0) {
    problems.push(apiError('CONTAINS_NULL_VALUES', { collection: table, field: column.name }));
  }
  if (acceptLoss || column.generated !== null || old.generated !== null) return problems;
  if (isConverted(old, column)) {
    const rows = await count(table, `${name} is not null`, context);
    if (rows > 0)
      problems.push(loss(table, column, `${rows} rows hold values that may change as ${column.dataType}`));
  } else if (isShortened(old, column)) {
    const rows = await count(table, `${lengthOf(name, context)} > ${Number(column.length)}`, context);
    if (rows > 0) problems.push(loss(table, column, `${rows} rows hold values longer than ${column.length}`));
  } else if (isNarrowed(old, column)) {
    const rows = await count(table, `${name} is not null`, context);
    if (rows > 0) problems.push(loss(table, column, `${rows} rows hold values that may not fit`));
  }
  return [...problems, ...(await findLostLabels(table, { old, column }, context))];
};

const loss = (collection: string, { name }: ColumnShape, reason: string): ApiError =>
  invalidPayload(`"${collection}.${name}": ${reason}; send accept_loss: true to apply it all the same`);

const count = async (table: string, condition: string, { executor }: LossContext): Promise<number> => {
  const [row] = await executor.query(`select count(*) as n from ${executor.quote(table)} where ${condition}`);
  return Number(row?.n ?? 0);
};

const lengthOf = (name: string, { printer }: LossContext): string => {
  const length = printer.expressions.call('char_length', [name]);
  return length ?? `length(${name})`;
};

/** A column without null and default has no value for the rows that are there. */
const findMissingValues = async (
  table: string,
  column: ColumnShape,
  context: LossContext,
): Promise<readonly ApiError[]> => {
  const hasValue =
    column.nullable || column.default !== null || column.generated !== null || column.autoIncrement !== null;
  if (hasValue) return [];
  const rows = await count(table, '1 = 1', context);
  if (rows === 0) return [];
  const reason = `"${table}.${column.name}" must not be null and has no default, but there are ${rows} rows`;
  return [invalidPayload(`${reason}; give it a default, or let it be null`)];
};

/** Integer types from the narrowest to the widest; conversions to the right lose nothing. */
const integers = ['tinyint', 'smallint', 'mediumint', 'int', 'integer', 'bigint'];
const texts = /^(?:char|varchar|character varying|character|tinytext|text|mediumtext|longtext|citext)$/i;
const textOrder = [
  'char',
  'character',
  'varchar',
  'character varying',
  'tinytext',
  'text',
  'citext',
  'mediumtext',
  'longtext',
];

/** Whether the type is another one that does not hold every value of the old one. */
const isConverted = (old: ColumnShape, column: ColumnShape): boolean => {
  const [from, to] = [old.dataType.toLowerCase(), column.dataType.toLowerCase()];
  if (from === to || old.values !== null) return false;
  const [first, second] = [integers.indexOf(from), integers.indexOf(to)];
  if (first !== -1 && second !== -1) return second < first;
  if (texts.test(from) && texts.test(to)) {
    return column.length === null && textOrder.indexOf(to) < textOrder.indexOf(from);
  }
  return !(from === 'real' && to === 'double precision') && !(from === 'float' && to === 'double');
};

const isShortened = (old: ColumnShape, column: ColumnShape): boolean =>
  texts.test(column.dataType) &&
  column.length !== null &&
  (old.length === null || column.length < old.length);

const whole = ({ precision, scale }: ColumnShape): number => (precision ?? 1000) - (scale ?? 0);

/** Digits of a number or time that are fewer than before. */
const isNarrowed = (old: ColumnShape, column: ColumnShape): boolean => {
  if (old.dataType !== column.dataType) return false;
  const isDecimal = /^(?:decimal|numeric)/i.test(column.dataType);
  return (
    (isDecimal && (whole(column) < whole(old) || (column.scale ?? 0) < (old.scale ?? 0))) ||
    (column.fraction ?? 6) < (old.fraction ?? 6) ||
    (/binary|bit/i.test(column.dataType) && (column.length ?? 0) < (old.length ?? 0))
  );
};

const findLostLabels = async (
  table: string,
  { old, column }: { readonly old: ColumnShape; readonly column: ColumnShape },
  context: LossContext,
): Promise<readonly ApiError[]> => {
  const lost = (old.values ?? []).filter((value) => !(column.values ?? [value]).includes(value));
  if (lost.length === 0) return [];
  const list = lost.map((value) => context.printer.expressions.text(value)).join(', ');
  const rows = await count(table, `${context.executor.quote(column.name)} in (${list})`, context);
  return rows === 0
    ? []
    : [invalidPayload(`"${table}.${column.name}": ${rows} rows hold values that enum_values lacks`)];
};

/** Rows that a new unique constraint or primary key would not allow. */
const findDuplicates = async (
  table: TableShape,
  present: TableShape,
  context: LossContext,
): Promise<readonly ApiError[]> => {
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
  const problems: ApiError[] = [];
  for (const columns of added) {
    const names = columns.map((column) => context.executor.quote(column));
    const present = names.map((name) => `${name} is not null`).join(' and ');
    const [row] = await context.executor.query(
      `select count(*) as n from (select 1 as one from ${context.executor.quote(table.name)} where ${present} ` +
        `group by ${names.join(', ')} having count(*) > 1) as doubles`,
    );
    const rows = Number(row?.n ?? 0);
    if (rows > 0)
      problems.push(
        invalidPayload(`"${table.name}": ${rows} values of ${columns.join(', ')} are there more than once`),
      );
  }
  return problems;
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
const findOrphans = async (
  table: TableShape,
  tables: ReadonlyMap<string, TableShape>,
  { executor }: LossContext,
): Promise<readonly ApiError[]> => {
  const known = new Set((tables.get(table.name)?.foreignKeys ?? []).map(keyOf));
  const problems: ApiError[] = [];
  for (const key of table.foreignKeys) {
    // what the same diff makes has no rows yet
    const isNew =
      !hasColumns(tables, table.name, key.columns) || !hasColumns(tables, key.table, key.references);
    if (known.has(keyOf(key)) || isNew) continue;
    const join = key.columns.map(
      (column, at) => `o.${executor.quote(key.references[at] ?? '')} = m.${executor.quote(column)}`,
    );
    const set = key.columns.map((column) => `m.${executor.quote(column)} is not null`);
    const [row] = await executor.query(
      `select count(*) as n from ${executor.quote(table.name)} m where ${set.join(' and ')} ` +
        `and not exists (select 1 from ${executor.quote(key.table)} o where ${join.join(' and ')})`,
    );
    const rows = Number(row?.n ?? 0);
    if (rows > 0) {
      problems.push(
        invalidPayload(
          `"${table.name}.${key.columns.join(', ')}": ${rows} rows refer to no row of "${key.table}"`,
        ),
      );
    }
  }
  return problems;
};
