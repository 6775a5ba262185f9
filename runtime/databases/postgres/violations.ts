/** Reads constraint violations of PostgreSQL from the errors of pg. */
import type { Violation } from '../contract.js';
import { firstGroup, violation } from '../violations.js';

/**
 * Returns the violation, or null for any other error. `table` is the one written to, since the error may name
 * another.
 */
export const readViolation = (error: unknown, table: string): Violation | null => {
  if (!(error instanceof Error)) return null;
  const { code } = error as Error & { readonly code?: unknown };
  const isSqlState = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code);
  return isSqlState ? readSqlState(error as unknown as PostgresError, table) : null;
};

/** https://www.postgresql.org/docs/current/protocol-error-fields.html */
interface PostgresError {
  readonly code: string;
  readonly message: string;
  /** Function of the server that raised the error; not localized. */
  readonly routine?: string;
  readonly detail?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
  /** Position in the statement, or with `internalQuery` in one run by a function; neither is set for an invalid value. */
  readonly position?: string;
  /** Context, which names a parameter that could not be parsed as `$3`; otherwise localized. */
  readonly where?: string;
  /** The statement. */
  readonly sql?: string;
  readonly internalQuery?: string;
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const readSqlState = (error: PostgresError, table: string): Violation | null => {
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
      return violation('type', [firstGroup(/column "(.*)"/s, error.message) ?? []].flat());
    case '0A000':
      // an insert rewritten by a rule returns no row
      return error.routine === 'RewriteQuery' ? violation('skipped') : null;
    case 'XX000':
      return isParameter.test(error.where ?? '')
        ? { ...violation('type', column), ...rejectedParameter(error) }
        : null;
    case '22001':
    case '54000':
      return violation('tooLong', column);
    case '2200H':
      return violation('exhausted');
    case '22003':
      return { ...violation('range', column), ...rejectedParameter(error) };
    default:
      if (isRaised(error)) return violation('check');
      if (isBrokenFunction(error)) return violation('broken');
      return error.code.startsWith('22') || isParseError(error)
        ? { ...violation('type', column), ...rejectedParameter(error) }
        : null;
  }
};

/** Returns the index of the value of an insert or update that could not be parsed. */
const rejectedParameter = ({ where = '', sql = '' }: PostgresError): Pick<Violation, 'parameter'> => {
  const number = /^(?:insert|update) /.test(sql) ? firstGroup(/\$(\d+)/, where) : null;
  return number === null ? {} : { parameter: Number(number) - 1 };
};

/** A context of one line that names a parameter: types of extensions reject text by an internal error. */
const isParameter = /^[^\n"]*\$\d+(?: = '\.\.\.')?$/;

/** Returns whether a PL/pgSQL function raised the error. */
const isRaised = ({ code, routine }: PostgresError): boolean =>
  code === 'P0001' || routine === 'exec_stmt_raise';

/** SQLSTATEs with which types such as `tsquery`, `jsonpath` and `regclass` reject text that they cannot parse. */
const parseErrorCodes: ReadonlySet<string> = new Set(['42601', '42602', '42P01', '42704', '42883', '3F000']);

/** Returns whether a statement of a function, such as that of a trigger, names what does not exist. */
const isBrokenFunction = ({ code, internalQuery }: PostgresError): boolean =>
  internalQuery !== undefined && (code === '42703' || parseErrorCodes.has(code));

const isParseError = ({ code, position, internalQuery }: PostgresError): boolean =>
  parseErrorCodes.has(code) && position === undefined && internalQuery === undefined;

/** Returns the column of an unnamed check constraint, which PostgreSQL names `<table>_<column>_check`. */
const checkedColumn = (constraint: string | null, table: string): readonly string[] => {
  const start = `${table}_`;
  if (constraint?.startsWith(start) !== true) return [];
  return [firstGroup(/^(.*)_check\d*$/s, constraint.slice(start.length)) ?? []].flat();
};

/** Reads the column names, but not the values, from a localized detail such as `Key (a, "B c")=(…) …`. */
const keyColumns = ({ detail = '' }: PostgresError): readonly string[] =>
  Array.from(
    (firstGroup(/\((.*?)\)=\(/s, detail) ?? '').matchAll(/"((?:[^"]|"")*)"|[^\s,]+/g),
    ([plain, quoted]) => (quoted === undefined ? plain : quoted.replaceAll('""', '"')),
  );
