/**
 * Converts MySQL's rows of information_schema to the form of MariaDB's, so that one reader handles both:
 * defaults as SQL, expressions as they were written. Pure.
 */
import { unescapeBackslashes } from '../../../contract/backslash-escapes.js';
import type { ColumnRow, StatisticsRow } from './tables.js';

type DefaultRow = Pick<ColumnRow, 'dataType' | 'defaultSql' | 'extra' | 'generation'>;

/**
 * Converts a column. MySQL has the value of a default where MariaDB has its SQL, and escapes quotes in
 * expressions.
 */
export const toMariaDbColumn = <Row extends DefaultRow>(row: Row): Row => ({
  ...row,
  defaultSql: row.defaultSql === null ? null : toSqlDefault(row.defaultSql, row),
  generation: row.generation === null ? null : unescapeExpression(row.generation),
});

/** Converts a part of an index, of which only expressions differ. */
export const toMariaDbIndexColumn = (row: StatisticsRow): StatisticsRow => ({
  ...row,
  expression: row.expression === null ? null : unescapeExpression(row.expression),
});

/**
 * Converts `column_default`, which is the value itself unless `extra` marks an expression; bits and bytes are
 * SQL.
 */
const toSqlDefault = (value: string, { extra, dataType }: DefaultRow): string => {
  if (extra.includes('DEFAULT_GENERATED')) return dropCharset(unescapeExpression(value));
  return sqlTypes.has(dataType) ? value : `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
};

const sqlTypes: ReadonlySet<string> = new Set(['bit', 'binary', 'varbinary']);

/** Removes the character set of a literal: `_utf8mb4'x'` becomes `'x'`. */
const dropCharset = (sql: string): string => sql.replace(/^_[a-z0-9]+(?='(?:[^'\\]|''|\\.)*'$)/s, '');

/**
 * Undoes the escaping of MySQL, which returns expressions escaped once more and their UTF-8 bytes as
 * characters.
 */
export const unescapeExpression = (sql: string): string => {
  const text = unescapeBackslashes(sql);
  if (/[^\0-\xff]/.test(text)) return text;
  const decoded = Buffer.from(text, 'latin1').toString('utf8');
  return decoded.includes('\ufffd') ? text : decoded;
};
