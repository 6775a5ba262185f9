/** What a database refuses, as errors of the table: which field, which value. Its own words stay here. */
import type { Collection, Relation } from '../collection.js';
import { ApiError, ApiErrors, apiError } from '../errors.js';
import type { WriteRow } from '../plan/write.js';
import type { Executor } from './database.js';

interface Write {
  readonly collection: Collection;
  /** What was to be written; empty for a delete. */
  readonly rows: readonly WriteRow[];
  readonly executor: Executor;
}

/** Runs a write; constraint violations come out as API errors, everything else as it is. */
export const explainFailure = async <Result>(write: Write, run: () => Promise<Result>): Promise<Result> => {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ApiError || error instanceof ApiErrors) throw error;
    const violation = readViolation(error);
    throw violation === null ? error : toError(violation, write);
  }
};

interface Violation {
  readonly kind: 'unique' | 'foreignKey' | 'referenced' | 'notNull' | 'required' | 'tooLong' | 'range' | 'type' | 'check';
  /** Columns, or the constraint's name, as far as the database tells. */
  readonly columns: readonly string[];
  readonly constraint: string | null;
}

const toError = (violation: Violation, { collection, rows }: Write): ApiError => {
  const field = findField(violation, collection, rows);
  const value = field === null ? null : valueOf(field, rows);
  const details = { collection: collection.name, field, value };
  switch (violation.kind) {
    case 'unique':
      return apiError('RECORD_NOT_UNIQUE', details, `"${field}" of "${collection.name}" has this value already`);
    case 'foreignKey':
      return apiError('INVALID_FOREIGN_KEY', details, `"${field}" refers to an item that does not exist`);
    case 'referenced':
      return apiError('INVALID_FOREIGN_KEY', details, 'other items still refer to this one');
    case 'notNull':
      return apiError('NOT_NULL_VIOLATION', { collection: collection.name, field }, `"${field}" must have a value`);
    case 'required':
      return apiError(
        'FAILED_VALIDATION',
        { collection: collection.name, field, path: [], type: 'required' },
        `"${field}" must have a value`,
      );
    case 'tooLong':
      return apiError('VALUE_TOO_LONG', details, `"${field}" takes a shorter value`);
    case 'range':
      return apiError('VALUE_OUT_OF_RANGE', details, `"${field}" cannot hold this value`);
    case 'type':
    case 'check':
      return apiError(
        'FAILED_VALIDATION',
        { collection: collection.name, field, path: [], type: violation.kind },
        field === null ? 'a check of the database refuses this item' : `"${field}" does not take this value`,
      );
  }
};

const findField = (violation: Violation, collection: Collection, rows: readonly WriteRow[]): string | null => {
  const { columns, constraint } = violation;
  const named = columns.find((name) => collection.fields.has(name));
  if (named !== undefined) return named;
  if (constraint === null) return violation.kind === 'foreignKey' ? onlyReference(collection, rows) : null;
  if (constraint === 'PRIMARY') return collection.key[0]?.name ?? null;
  return collection.uniques.get(constraint)?.[0] ?? null;
};

/** Where the database names nothing: the reference that was written, if it was one. */
const onlyReference = (collection: Collection, rows: readonly WriteRow[]): string | null => {
  const written = [...collection.relations.values()].filter(
    (relation: Relation) =>
      relation.kind === 'manyToOne' && rows.some((row) => (row.get(relation.fields[0] ?? '') ?? null) !== null),
  );
  return written.length === 1 ? (written[0]?.name ?? null) : null;
};

const valueOf = (field: string, rows: readonly WriteRow[]): unknown => {
  const values = rows.flatMap((row) => (row.has(field) ? [row.get(field)] : []));
  return values.length === 1 ? values[0] : null;
};

const readViolation = (error: unknown): Violation | null => {
  if (typeof error !== 'object' || error === null) return null;
  const { errno, code, message } = error as { errno?: unknown; code?: unknown; message?: unknown };
  const text = typeof message === 'string' ? message : '';
  if (typeof code === 'string' && code.startsWith('SQLITE')) return readSqlite(text);
  return typeof errno === 'number' ? readMysql(errno, text) : null;
};

const violation = (
  kind: Violation['kind'],
  columns: readonly string[] = [],
  constraint: string | null = null,
): Violation => ({ kind, columns, constraint });

/** https://mariadb.com/kb/en/mariadb-error-codes/ */
const readMysql = (errno: number, text: string): Violation | null => {
  const quoted = (pattern: RegExp): string[] => {
    const found = pattern.exec(text)?.[1];
    return found === undefined ? [] : [found];
  };
  switch (errno) {
    case 1062:
      return violation('unique', [], /for key '(?:[^']*\.)?([^']*)'/.exec(text)?.[1] ?? null);
    case 1452:
    case 1216:
      return violation('foreignKey', quoted(/FOREIGN KEY \(`((?:[^`]|``)*)`/).map((name) => name.replaceAll('``', '`')));
    case 1451:
    case 1217:
      return violation('referenced');
    case 1048:
      return violation('notNull', quoted(/Column '(.*)' cannot be null/));
    case 1364:
      return violation('required', quoted(/Field '(.*)' doesn't have/));
    case 1406:
      return violation('tooLong', quoted(/for column (?:.*\.)?[`'](.*)[`'] at row/));
    case 1264:
    case 1690:
      return violation('range', quoted(/for column (?:.*\.)?[`'](.*)[`'] at row/));
    case 1265:
    case 1292:
    case 1366:
      return violation('type', quoted(/for column (?:.*\.)?[`'](.*)[`'] at row/));
    case 3819:
    case 4025:
      return violation('check', quoted(/CONSTRAINT `(?:[^`]*\.)?([^`.]*)` failed/));
    default:
      return null;
  }
};

/** https://www.sqlite.org/rescode.html; the columns stand in the message only. */
const readSqlite = (text: string): Violation | null => {
  const columns = (/failed: (.*)$/.exec(text)?.[1] ?? '')
    .split(', ')
    .map((name) => name.slice(name.indexOf('.') + 1));
  if (text.includes('UNIQUE constraint failed')) return violation('unique', columns);
  if (text.includes('PRIMARY KEY')) return violation('unique', [], 'PRIMARY');
  if (text.includes('NOT NULL constraint failed')) return violation('notNull', columns);
  if (text.includes('FOREIGN KEY constraint failed')) return violation('foreignKey');
  if (text.includes('CHECK constraint failed')) return violation('check', columns);
  return /cannot store|datatype mismatch/.test(text) ? violation('type', columns) : null;
};
