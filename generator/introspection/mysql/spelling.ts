/**
 * MySQL's rows of information_schema in the words of MariaDB's, so that one reader serves both: defaults as SQL,
 * expressions as they were written. Pure.
 */
import { unescapeBackslashes } from './columns.js';
import type { ColumnRow, StatisticsRow } from './tables.js';

export const spellColumn = (row: ColumnRow): ColumnRow => ({
  ...row,
  defaultSql: row.defaultSql === null ? null : spellDefault(row.defaultSql, row),
  generation: row.generation === null ? null : spellExpression(row.generation),
});

export const spellIndexColumn = (row: StatisticsRow): StatisticsRow => ({
  ...row,
  expression: row.expression === null ? null : spellExpression(row.expression),
});

/** `column_default` is the value itself, save where `extra` tells of an expression; bits and bytes are SQL. */
const spellDefault = (value: string, { extra, dataType }: ColumnRow): string => {
  if (extra.includes('DEFAULT_GENERATED')) return dropCharset(spellExpression(value));
  return sqlTypes.has(dataType) ? value : `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
};

const sqlTypes: ReadonlySet<string> = new Set(['bit', 'binary', 'varbinary']);

/** `_utf8mb4'x'` → `'x'`, where that is all. */
const dropCharset = (sql: string): string => sql.replace(/^_[a-z0-9]+(?='(?:[^'\\]|''|\\.)*'$)/s, '');

/** MySQL shows expressions escaped once more, and their UTF-8 bytes as characters. */
const spellExpression = (sql: string): string => {
  const text = unescapeBackslashes(sql);
  if (/[^\0-\xff]/.test(text)) return text;
  const decoded = Buffer.from(text, 'latin1').toString('utf8');
  return decoded.includes('\ufffd') ? text : decoded;
};
