/** Reads constraint violations of MySQL and MariaDB from the errors of mysql2. */
import type { Violation } from '../contract.js';
import { firstGroup, violation } from '../violations.js';

/**
 * Returns the violation, or null for any other error. `table` is the one written to, since the message may
 * not name it.
 */
export const readViolation = (error: unknown, table: string): Violation | null => {
  if (!(error instanceof Error)) return null;
  const { errno, message, sqlState, sql } = error as Error &
    Readonly<Record<'errno' | 'sqlState' | 'sql', unknown>>;
  if (sqlState === signalState) return violation('check');
  if (isBrokenTrigger(errno, message, String(sql))) return violation('broken');
  return typeof errno === 'number' ? readNumber(errno, message, table) : null;
};

/** Returns whether a write fails because of a table or function that does not exist and that its statement does not name. */
const isBrokenTrigger = (errno: unknown, message: string, sql: string): boolean => {
  if ((errno !== 1146 && errno !== 1305) || !/^(?:insert|update|delete) /.test(sql)) return false;
  const name = firstGroup(/(?:'|FUNCTION |PROCEDURE )[^']*?\.(.*?)'? (?:doesn't|does not) exist/s, message);
  return name !== null && !sql.includes(name.replaceAll('`', '``'));
};

/** SQLSTATE of errors that triggers raise with SIGNAL, regardless of the error number. */
const signalState = '45000';

/**
 * Reads an error number.
 * https://mariadb.com/kb/en/mariadb-error-codes/ and https://dev.mysql.com/doc/mysql-errors/9.0/en/server-error-reference.html
 */
const readNumber = (errno: number, text: string, table: string): Violation | null => {
  const column = (pattern: RegExp): readonly string[] => [firstGroup(pattern, text) ?? []].flat();
  switch (errno) {
    case 1062:
      return violation('unique', [], withoutTable(firstGroup(/for key '(.*)'$/s, text), table));
    case 1452:
    case 1216:
      return violation('foreignKey', splitNames(firstGroup(/FOREIGN KEY \((`.*?`)\) REFERENCES/s, text)));
    case 1451:
    case 1217:
      return violation('referenced');
    case 1048:
      return violation('notNull', column(/^Column '(.*)' cannot be null/s));
    case 1364:
      return violation('required', column(/^Field '(.*)' doesn't have/s));
    case 1406:
      return violation('tooLong', column(/for column '(.*)' at row/s));
    // MariaDB and MySQL at the end of an auto-increment; the second names no column
    case 167:
      return violation('exhausted', column(lastColumn));
    case 1467:
      return violation('exhausted');
    case 1264:
    case 1690:
      return violation('range', column(lastColumn));
    case 1265:
    case 1292:
    case 1366:
    case 3157:
    case 3988:
      return violation('type', column(lastColumn));
    // invalid JSON passed to a function; the error names no column of the table
    case 3141:
    // a system of coordinates that the server does not know
    case 3548:
    case 4037:
    case 4038:
      return violation('type');
    case 1416:
    case 3140:
    case 6136:
      return violation('type', column(/ in value for column '(?:.*\.)?(.*?)'\.$/s));
    // no partition for the row; division by 0 in a generated column; rejected by a trigger, also with a class of SQLSTATE for
    // rows that are not found
    case 1365:
    case 1526:
    case 1643:
    case 1644:
      return violation('check');
    case 3819:
      return violation('check', [], firstGroup(/^Check constraint '(.*)' is violated/s, text));
    case 4025:
      return violation('check', [], firstGroup(/CONSTRAINT `(?:.*`?\.`?)?(.*?)` failed/s, text));
    default:
      return null;
  }
};

/** Removes the table from the name of a key; MySQL reports `table.key`, MariaDB `key`. */
const withoutTable = (key: string | null, table: string): string | null =>
  key?.startsWith(`${table}.`) === true ? key.slice(table.length + 1) : key;

/** Matches `db`.`table`.`column` or the quoted column alone. */
const lastColumn = /for column (?:`.*`\.)?[`'](.*?)[`'] at row/s;

const splitNames = (list: string | null): readonly string[] =>
  list === null
    ? []
    : list
        .slice(1, -1)
        .split('`, `')
        .map((name) => name.replaceAll('``', '`'));
