/**
 * Reads characters of four bytes in UTF-8, for which information_schema of MySQL and MariaDB has question marks: its texts are
 * `utf8mb3`. The servers keep such characters in defaults, labels and expressions, and show them in other places; comments lose
 * them when they are written.
 */
import type { CatalogReader } from '../catalog.js';
import { readRows } from '../dialect.js';
import { readValues } from './columns.js';
import { quote } from './quoting.js';

/** The part of a column that may have such characters, in the form of MariaDB. */
export interface WideColumn {
  readonly table: string;
  readonly name: string;
  readonly dataType: string;
  readonly columnType: string;
  readonly defaultSql: string | null;
  readonly generation: string | null;
  readonly extra: string;
}

export interface WideCheck {
  readonly table: string;
  readonly name: string;
  readonly clause: string;
}

export interface WideReader {
  readonly reader: CatalogReader;
  /** True where information_schema has all characters of expressions. */
  readonly showsExpressions: boolean;
  /** Receives the tables of which some characters cannot be read, for example for want of a privilege. */
  readonly unread: Set<string>;
}

const quoteText = (text: string): string =>
  `'${text.replaceAll("'", "''").replaceAll('\\', String.raw`\\`)}'`;

/** Returns the columns with all characters. Only columns with question marks take statements. */
export const readWideColumns = async <Row extends WideColumn>(
  rows: readonly Row[],
  context: WideReader,
): Promise<readonly Row[]> => {
  const read: Row[] = [];
  for (const row of rows) read.push(mayBeWide(row) ? await readColumn(row, context) : row);
  return read;
};

/** Returns the checks with all characters. */
export const readWideChecks = async <Row extends WideCheck>(
  rows: readonly Row[],
  context: WideReader,
): Promise<readonly Row[]> => {
  const read: Row[] = [];
  for (const row of rows) {
    const places = [`CONSTRAINT ${quote(row.name)} CHECK (`, `${quote(row.name)} * CHECK (`];
    read.push({ ...row, clause: await readExpression(row.clause, { table: row.table, places }, context) });
  }
  return read;
};

const mayBeWide = ({ columnType, defaultSql, generation }: WideColumn): boolean =>
  [columnType, defaultSql, generation].some((text) => text?.includes('?') === true);

const readColumn = async <Row extends WideColumn>(row: Row, context: WideReader): Promise<Row> => {
  const { table, name, generation } = row;
  const places = [`${quote(name)} * GENERATED ALWAYS AS (`];
  return {
    ...row,
    columnType: await readLabels(row, context),
    defaultSql: await readDefault(row, context),
    generation: generation === null ? null : await readExpression(generation, { table, places }, context),
  };
};

/** Reads labels by their numbers: a column of a recursive query has the type that its first part gives it. */
const readLabels = async (row: WideColumn, context: WideReader): Promise<string> => {
  const { table, name, dataType, columnType } = row;
  const isListed = dataType === 'enum' || dataType === 'set';
  if (!isListed || !columnType.includes('?')) return columnType;
  const labels = readValues(columnType);
  const numbers = labels.flatMap((label, at) => {
    const value = dataType === 'set' ? 2n ** BigInt(at) : at + 1;
    return label.includes('?') ? [`select ${at} as n, ${value} as v`] : [];
  });
  const rows = await ask(
    `with recursive r (n, label) as (
      select -1, t.${quote(name)} from (select 1 as one) o left join ${quote(table)} t on false
      union all
      select k.n, k.v from r join (${numbers.join(' union all ')}) k where r.n = -1
    ) select n, label from r where n >= 0`,
    table,
    context,
  );
  const read = new Map(rows.map(({ n, label }) => [Number(n), String(label)]));
  return `${dataType}(${labels.map((label, at) => quoteText(read.get(at) ?? label)).join(',')})`;
};

/** Reads a text by the server's function for defaults, and an expression from the statement of the table. */
const readDefault = async (row: WideColumn, context: WideReader): Promise<string | null> => {
  const { table, name, dataType, defaultSql, extra } = row;
  if (defaultSql?.includes('?') !== true) return defaultSql;
  const isText = /^'(?:[^'\\]|''|\\.)*'$/s.test(defaultSql) && !dataType.endsWith('binary');
  if (!isText || extra.includes('DEFAULT_GENERATED'))
    return readExpression(defaultSql, { table, places: [`${quote(name)} * DEFAULT `] }, context);
  const value = `select default(t.${quote(name)}) as value`;
  const statements = [
    `${value} from ${quote(table)} t limit 1`,
    // of an empty table, MariaDB tells it for a row that was not found, and MySQL for no row
    `${value}, count(*) as n from (select 1 as one) o left join ${quote(table)} t on o.one = 0`,
    `${value}, count(*) as n from ${quote(table)} t`,
  ];
  for (const statement of statements) {
    const [found] = await ask(statement, table, context);
    if (typeof found?.value === 'string') return quoteText(found.value);
  }
  context.unread.add(table);
  return defaultSql;
};

interface Place {
  readonly table: string;
  /** Texts, one of which stands before the expression in its line of the statement; `*` is anything. */
  readonly places: readonly string[];
}

/** Finds an expression in the statement of its table, where a question mark for each byte is the character itself. */
const readExpression = async (
  sql: string,
  { table, places }: Place,
  context: WideReader,
): Promise<string> => {
  if (context.showsExpressions || !sql.includes('????')) return sql;
  const [row] = await ask(`SHOW CREATE TABLE ${quote(table)}`, table, context);
  if (row === undefined) return sql;
  const statement = String(row['Create Table']);
  const pattern = toPattern(sql).replaceAll(/(?:\\\?){4,}/g, String.raw`(?:\?|[\u{10000}-\u{10ffff}])+?`);
  for (const place of places) {
    const before = toPattern(place).replace(String.raw`\*`, String.raw`[^\n]*?`);
    const found = new RegExp(`^ {2}${before}(${pattern})`, 'mu').exec(statement)?.[1];
    if (found?.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '????') === sql) return found;
  }
  context.unread.add(table);
  return sql;
};

const toPattern = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}/]/g, String.raw`\$&`);

/** Errors of users without privilege for the table, of tables and views that are gone or broken, and of strict groups. */
const unreadable: ReadonlySet<unknown> = new Set([1055, 1140, 1142, 1143, 1146, 1356]);

/** Returns no rows of a table that cannot be read, which stays as information_schema shows it. */
const ask = async (
  sql: string,
  table: string,
  { reader, unread }: WideReader,
): Promise<readonly Record<string, unknown>[]> => {
  try {
    return await readRows<Record<string, unknown>>(reader, sql);
  } catch (error) {
    if (!unreadable.has((error as { readonly errno?: unknown }).errno)) throw error;
    unread.add(table);
    return [];
  }
};
