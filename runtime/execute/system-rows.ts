/**
 * Reads and writes rows of system tables by equality and simple comparisons: names are quoted, values are
 * bound and types come from the spec. Joins, locks and counters are separate SQL.
 */
import { systemColumns, type SystemTables } from '../../generated/server/system-rows.js';
import type { BindValue, Executor } from '../databases/contract.js';

/** Runs statements: a database or a transaction. */
export type Statements = Pick<Executor, 'query' | 'write' | 'quote'>;

type SystemTable = keyof SystemTables;

/** A row as the database returns it: booleans as 1 and 0, JSON and times as text. */
export type SystemRow<Table extends SystemTable> = SystemTables[Table]['row'];

type Optional<Table extends SystemTable> = SystemTables[Table]['optional'] & keyof SystemRow<Table>;

/** A row to insert; columns with a default are optional. */
export type NewRow<Table extends SystemTable> = Omit<SystemRow<Table>, Optional<Table>> &
  Partial<Pick<SystemRow<Table>, Optional<Table>>>;

/** A value to equal, or `null`; a list that contains the value; or an exclusive bound. */
type Condition<Value> =
  | Value
  | readonly NonNullable<Value>[]
  | { readonly below: NonNullable<Value> }
  | { readonly above: NonNullable<Value> }
  | { readonly not: NonNullable<Value> };

/** Conditions joined by AND; an absent one is ignored. */
export type Where<Table extends SystemTable> = {
  readonly [Column in keyof SystemRow<Table>]?: Condition<SystemRow<Table>[Column]> | undefined;
};

type ColumnOf<Table extends SystemTable> = keyof SystemRow<Table> & string;

interface FindOptions<Table extends SystemTable, Column extends ColumnOf<Table>> {
  /** Defaults to every row. */
  readonly where?: Where<Table>;
  /** Defaults to all columns. */
  readonly columns?: readonly Column[];
  /** Ascending, or descending with a leading `-`. */
  readonly order?: readonly (ColumnOf<Table> | `-${ColumnOf<Table>}`)[];
  readonly limit?: number;
  /** Number of rows to skip; only with `limit`. */
  readonly offset?: number;
}

/** Returns the rows that meet every condition. */
export const findRows = async <Table extends SystemTable, Column extends ColumnOf<Table> = ColumnOf<Table>>(
  statements: Statements,
  table: Table,
  { where, columns, order = [], limit, offset = 0 }: FindOptions<Table, Column>,
): Promise<Pick<SystemRow<Table>, Column>[]> => {
  const { quote } = statements;
  const names: readonly string[] = columns ?? systemColumns[table];
  const { text, values } = where === undefined ? { text: '', values: [] } : printWhere(where, quote);
  const rows = await statements.query(
    `select ${names.map(quote).join(', ')} from ${table}${text}${printOrder(order, quote)}` +
      (limit === undefined ? '' : ` limit ${limit}`) +
      (offset === 0 ? '' : ` offset ${offset}`),
    values,
  );
  return rows as Pick<SystemRow<Table>, Column>[];
};

/** Returns the first row that meets every condition, or `undefined`. */
export const findRow = async <Table extends SystemTable, Column extends ColumnOf<Table> = ColumnOf<Table>>(
  statements: Statements,
  table: Table,
  options: FindOptions<Table, Column>,
): Promise<Pick<SystemRow<Table>, Column> | undefined> => (await findRows(statements, table, options))[0];

/** Inserts a row; columns that it leaves out get their defaults. */
export const insertRow = <Table extends SystemTable>(
  statements: Statements,
  table: Table,
  row: NewRow<Table>,
): Promise<void> => insertRows(statements, table, [row]);

/**
 * Inserts rows that have the same columns, in chunks of powers of two, so that few statements serve all row
 * counts.
 */
export const insertRows = async <Table extends SystemTable>(
  statements: Statements,
  table: Table,
  rows: readonly NewRow<Table>[],
): Promise<void> => {
  const [first] = rows;
  if (first === undefined) return;
  const names = Object.keys(first);
  const chunk = rows.slice(0, 2 ** Math.floor(Math.log2(rows.length)));
  const row = `(${names.map(() => '?').join(', ')})`;
  await statements.write({
    text: `insert into ${table} (${names.map(statements.quote).join(', ')}) values ${chunk.map(() => row).join(', ')}`,
    values: chunk.flatMap((each) => Object.values(each)) as BindValue[],
  });
  await insertRows(statements, table, rows.slice(chunk.length));
};

interface UpdateOptions<Table extends SystemTable> {
  readonly set: Partial<SystemRow<Table>>;
  readonly where: Where<Table>;
}

/** Updates the rows that meet every condition. Returns their number. */
export const updateRows = async <Table extends SystemTable>(
  statements: Statements,
  table: Table,
  { set, where }: UpdateOptions<Table>,
): Promise<number> => {
  const changes = Object.entries(set) as [string, BindValue][];
  const { text, values } = printWhere(where, statements.quote);
  const list = changes.map(([name]) => `${statements.quote(name)} = ?`).join(', ');
  const { affected } = await statements.write({
    text: `update ${table} set ${list}${text}`,
    values: [...changes.map(([, value]) => value), ...values],
  });
  return affected;
};

/** Deletes the rows that meet every condition. Returns their number. */
export const deleteRows = async <Table extends SystemTable>(
  statements: Statements,
  table: Table,
  where: Where<Table>,
): Promise<number> => {
  const { text, values } = printWhere(where, statements.quote);
  const { affected } = await statements.write({ text: `delete from ${table}${text}`, values });
  return affected;
};

interface PrintedWhere {
  readonly text: string;
  readonly values: readonly BindValue[];
}

const printWhere = (where: object, quote: Executor['quote']): PrintedWhere => {
  const conditions = Object.entries(where)
    .filter(([, condition]) => condition !== undefined)
    .map(([name, condition]) => printCondition(quote(name), condition as Condition<BindValue>));
  if (conditions.length === 0) throw new Error('a statement on a system table needs a condition');
  return {
    text: ` where ${conditions.map(({ text }) => text).join(' and ')}`,
    values: conditions.flatMap(({ values }) => values),
  };
};

const printCondition = (name: string, condition: Condition<BindValue>): PrintedWhere => {
  if (condition === null) return { text: `${name} is null`, values: [] };
  if (Array.isArray(condition)) {
    if (condition.length === 0) return { text: '1 = 0', values: [] };
    const { placeholders, values } = listPlaceholders(condition as readonly BindValue[]);
    return { text: `${name} in (${placeholders})`, values };
  }
  if (typeof condition !== 'object' || Buffer.isBuffer(condition)) {
    return { text: `${name} = ?`, values: [condition as BindValue] };
  }
  if ('below' in condition) return { text: `${name} < ?`, values: [condition.below] };
  if ('above' in condition) return { text: `${name} > ?`, values: [condition.above] };
  return { text: `${name} <> ?`, values: [(condition as { readonly not: BindValue }).not] };
};

const printOrder = (order: readonly string[], quote: Executor['quote']): string =>
  order.length === 0
    ? ''
    : ` order by ${order.map((name) => (name.startsWith('-') ? `${quote(name.slice(1))} desc` : quote(name))).join(', ')}`;

/** Returns the power of two from a count up: numbers in the text of statements are such, so that few distinct ones are prepared. */
export const powerOfTwo = (count: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, count)));

/**
 * Returns the placeholders of a list, padded to a power of two with its last value, so that few statements
 * serve all lengths.
 */
export const listPlaceholders = <Value>(
  values: readonly Value[],
): { readonly placeholders: string; readonly values: Value[] } => {
  const padded = [...values];
  const paddedLength = powerOfTwo(values.length);
  while (padded.length < paddedLength) padded.push(padded.at(-1) as Value);
  return { placeholders: padded.map(() => '?').join(', '), values: padded };
};
