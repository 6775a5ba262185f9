/** What drivers throw when a constraint is violated, in one form. */

export interface Violation {
  readonly kind:
    | 'unique'
    | 'foreignKey'
    | 'referenced'
    | 'notNull'
    | 'required'
    | 'tooLong'
    | 'range'
    | 'type'
    | 'check'
    | 'skipped'
    | 'broken';
  /** Columns, and the constraint's name or condition, as far as the database tells. */
  readonly columns: readonly string[];
  readonly constraint: string | null;
}

/** `null`: the error is about something else. */
export const readViolation = (error: unknown, table: string): Violation | null => {
  if (typeof error !== 'object' || error === null) return null;
  const { errno, code, message, sqlState } = error as Readonly<Record<string, unknown>>;
  const text = typeof message === 'string' ? message : '';
  if (typeof code === 'string' && code.startsWith('SQLITE')) return readSqlite(code, text, table);
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code))
    return readPostgres(error as PostgresError, table);
  if (sqlState === signalled) return violation('check');
  return typeof errno === 'number' ? readMysql(errno, text, table) : null;
};

/** What triggers of MySQL and MariaDB refuse with, whatever number they give it. */
const signalled = '45000';

const violation = (
  kind: Violation['kind'],
  columns: readonly string[] = [],
  constraint: string | null = null,
): Violation => ({ kind, columns, constraint });

const found = (pattern: RegExp, text: string): string | null => pattern.exec(text)?.[1] ?? null;

/** https://mariadb.com/kb/en/mariadb-error-codes/ and https://dev.mysql.com/doc/mysql-errors/9.0/en/server-error-reference.html */
const readMysql = (errno: number, text: string, table: string): Violation | null => {
  const column = (pattern: RegExp): readonly string[] => [found(pattern, text) ?? []].flat();
  switch (errno) {
    case 1062:
      return violation('unique', [], withoutTable(found(/for key '(.*)'$/s, text), table));
    case 1452:
    case 1216:
      return violation('foreignKey', splitNames(found(/FOREIGN KEY \((`.*?`)\) REFERENCES/s, text)));
    case 1451:
    case 1217:
      return violation('referenced');
    case 1048:
      return violation('notNull', column(/^Column '(.*)' cannot be null/s));
    case 1364:
      return violation('required', column(/^Field '(.*)' doesn't have/s));
    case 1406:
      return violation('tooLong', column(/for column '(.*)' at row/s));
    case 1264:
    case 1690:
      return violation('range', column(lastColumn));
    case 1265:
    case 1292:
    case 1366:
    case 3157:
    case 3988:
      return violation('type', column(lastColumn));
    // text that a function takes for JSON; it names no column of the table
    case 3141:
    case 4037:
    case 4038:
      return violation('type');
    case 1416:
    case 3140:
    case 6136:
      return violation('type', column(/ in value for column '(?:.*\.)?(.*?)'\.$/s));
    // no partition takes the row; a generated column divides by 0; a trigger says no
    case 1365:
    case 1526:
    case 1644:
      return violation('check');
    case 3819:
      return violation('check', [], found(/^Check constraint '(.*)' is violated/s, text));
    case 4025:
      return violation('check', [], found(/CONSTRAINT `(?:.*`?\.`?)?(.*?)` failed/s, text));
    default:
      return null;
  }
};

/** MySQL says `table.key`, MariaDB `key`. */
const withoutTable = (key: string | null, table: string): string | null =>
  key?.startsWith(`${table}.`) === true ? key.slice(table.length + 1) : key;

/** `db`.`table`.`column`, or the column alone in quotes. */
const lastColumn = /for column (?:`.*`\.)?[`'](.*?)[`'] at row/s;

const splitNames = (list: string | null): readonly string[] =>
  list === null
    ? []
    : list
        .slice(1, -1)
        .split('`, `')
        .map((name) => name.replaceAll('``', '`'));

/** https://www.sqlite.org/rescode.html; columns stand in the message only, each after its table. */
const readSqlite = (code: string, text: string, table: string): Violation | null => {
  // the text is the trigger's own; `restrict` is one of SQLite's
  if (code === 'SQLITE_CONSTRAINT_TRIGGER' && text !== 'FOREIGN KEY constraint failed')
    return violation('check');
  // the schema is at fault: a foreign key or a trigger needs what is not there, or not unique
  if (/^(?:foreign key mismatch|no such table: main\.)/.test(text)) return violation('broken');
  const said = found(/constraint failed: (.*)$/s, text);
  const columns = said?.startsWith(`${table}.`) ? said.slice(table.length + 1).split(`, ${table}.`) : [];
  if (text.includes('UNIQUE constraint failed')) return violation('unique', columns);
  if (text.includes('NOT NULL constraint failed')) return violation('notNull', columns);
  if (text.includes('FOREIGN KEY constraint failed')) return violation('foreignKey');
  if (text.includes('CHECK constraint failed')) return violation('check', [], said);
  if (!/cannot store|datatype mismatch|^malformed JSON$/.test(text)) return null;
  return violation('type', [found(/column .*\.(.*)$/s, text) ?? []].flat());
};

/** https://www.postgresql.org/docs/current/protocol-error-fields.html */
interface PostgresError {
  readonly code: string;
  readonly message: string;
  /** The function of the server that refused, in every language the same. */
  readonly routine?: string;
  readonly detail?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
  /** Where in the statement, or in one that a function of the database runs; of neither, a value is wrong. */
  readonly position?: string;
  readonly internalQuery?: string;
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const readPostgres = (error: PostgresError, table: string): Violation | null => {
  const isOwn = error.table === undefined || error.table === table;
  const column = isOwn ? [error.column ?? []].flat() : [];
  const constraint = isOwn ? (error.constraint ?? null) : null;
  switch (error.code) {
    case '23505':
    case '23P01':
      return violation('unique', isOwn ? keyColumns(error) : [], constraint);
    case '23503':
      return isOwn && !error.message.startsWith('update or delete')
        ? violation('foreignKey', keyColumns(error), constraint)
        : violation('referenced');
    case '23502':
      return violation('notNull', column);
    case '23514':
      return violation('check', checkedColumn(constraint, table), constraint);
    case '428C9':
      return violation('type', [found(/column "(.*)"/s, error.message) ?? []].flat());
    case '0A000':
      // what a rule makes of an insert gives no row back
      return error.routine === 'RewriteQuery' ? violation('skipped') : null;
    case '22001':
    case '54000':
      return violation('tooLong', column);
    case '22003':
      return violation('range', column);
    default:
      if (isRaised(error)) return violation('check');
      return error.code.startsWith('22') || isMisread(error) ? violation('type', column) : null;
  }
};

/** A function of the database refused, with a code of its choice. */
const isRaised = ({ code, routine }: PostgresError): boolean =>
  code === 'P0001' || routine === 'exec_stmt_raise';

/** What columns such as `tsquery`, `jsonpath` and `regclass` say of a text they cannot read. */
const misreadings: ReadonlySet<string> = new Set(['42601', '42602', '42P01', '42704', '42883', '3F000']);

const isMisread = ({ code, position, internalQuery }: PostgresError): boolean =>
  misreadings.has(code) && position === undefined && internalQuery === undefined;

/** A check of one column that was given no name is called `<table>_<column>_check`. */
const checkedColumn = (constraint: string | null, table: string): readonly string[] => {
  const start = `${table}_`;
  if (constraint?.startsWith(start) !== true) return [];
  return [found(/^(.*)_check\d*$/s, constraint.slice(start.length)) ?? []].flat();
};

/** `Key (a, "B c")=(…) …`: the names alone, in any language; the values stay where they are. */
const keyColumns = ({ detail = '' }: PostgresError): readonly string[] =>
  Array.from(
    (found(/\((.*?)\)=\(/s, detail) ?? '').matchAll(/"((?:[^"]|"")*)"|[^\s,]+/g),
    ([plain, quoted]) => (quoted === undefined ? plain : quoted.replaceAll('""', '"')),
  );
