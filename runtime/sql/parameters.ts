/**
 * Builds parameters of statements: client values are validated by the field's type and converted to bound
 * values.
 */
import type { Field } from '../../contract/collection.js';
import { invalidQuery } from '../../contract/errors.js';
import type { Operand } from '../plan/types.js';
import { firstYear, isUnsafeInteger, isYear } from '../plan/number-values.js';
import type { Scalar } from '../plan/parsed-value.js';
import { readOtherNumber, readValue } from '../plan/values.js';
import type { BindValue, Match, SqlDialect } from '../databases/contract.js';
import type { BindInput, Parameter } from './fragment.js';
import { isSingle, toSingle } from './singles.js';

/**
 * Reads the value of an operand with variables resolved; lists are returned without resolving their elements.
 */
export const readOperand = (operand: Operand, input: BindInput): unknown =>
  resolveOperand(operand, rawOperand(operand, input), input);

const rawOperand = (operand: Operand, input: BindInput): unknown => {
  switch (operand.from) {
    case 'query':
    case 'text':
      return input.values[operand.slot];
    case 'rule':
    case 'constant':
      return operand.value;
    case 'key':
    case 'cursor':
      return input.keys[operand.index];
    case 'keys':
      return input.keys;
  }
};

/** Resolves variables once: a resolved value is never resolved again. */
const resolveOperand = ({ from }: Operand, value: unknown, input: BindInput): unknown => {
  if (from === 'query') return input.resolveQueryValue(value);
  return from === 'rule' ? input.resolve(value) : value;
};

/** Reads the values of a list operand; a variable may resolve to several values. */
const readList = (operand: Operand, input: BindInput): readonly unknown[] =>
  [rawOperand(operand, input)].flat().flatMap((value) => resolveOperand(operand, value, input));

/**
 * The comparison of a fraction with an integer column: as the next integer above or below, or as a value that
 * no row has.
 */
export type Rounding = 'up' | 'down' | 'none';

interface ValueOptions {
  readonly operand: Operand;
  readonly rounding: Rounding;
  /** The index of the value in a pair of bounds. */
  readonly bound?: 0 | 1;
}

/** Returns the placeholders for a value that is compared with the field. */
export const placeholdersOf = (
  dialect: SqlDialect,
  field: Field,
): Pick<Parameter, 'placeholder' | 'outOfRange'> => {
  const outOfRange = dialect.outOfRange?.(field) ?? null;
  return { placeholder: dialect.placeholder(field), ...(outOfRange === null ? {} : { outOfRange }) };
};

/**
 * Creates the parameter of one value. Binding it throws INVALID_QUERY for a value that the field does not
 * take.
 */
export const valueParameter = (
  dialect: SqlDialect,
  field: Field,
  { operand, rounding, bound }: ValueOptions,
): Parameter => ({
  ...placeholdersOf(dialect, field),
  list: false,
  read(input) {
    const read = (value: unknown): BindValue => toBind(dialect, field, { value, operand, rounding });
    if (bound === undefined) return read(readOperand(operand, input));
    const ends = readList(operand, input).map(read);
    // a range with a null bound is unknown, and so is its negation
    return ends.includes(null) ? null : (ends[bound] ?? null);
  },
});

/** Creates the parameter of a list; the statement has a placeholder for each of its values. */
export const listParameter = (dialect: SqlDialect, field: Field, operand: Operand): Parameter => ({
  ...placeholdersOf(dialect, field),
  list: true,
  read(input) {
    // `_in=` without a value is an empty list, which matches nothing
    return readList(operand, input).map((each) =>
      toBind(dialect, field, { value: each, operand, rounding: 'none' }),
    );
  },
});

/** Returns the parameter of a pattern for LIKE. @throws INVALID_QUERY when a text that is bound is too long */
export const matchParameter = (
  dialect: SqlDialect,
  kind: Match,
  { field, operand }: { readonly field: Field; readonly operand: Operand },
): Parameter => ({
  ...placeholdersOf(dialect, field),
  placeholder: '?',
  list: false,
  read(input) {
    const value = readOperand(operand, input);
    // LIKE NULL matches nothing
    if (value === null || value === undefined || Array.isArray(value)) return null;
    const text = String(value);
    if (text.length > maxPattern)
      throw invalidQuery(`a text to look for may have ${maxPattern} characters at most`);
    return dialect.pattern(kind, text);
  },
});

/**
 * Characters of a LIKE pattern: the smallest limit of a database is 50 000 bytes, and an escaped character
 * takes up to four.
 */
const maxPattern = 10_000;

/**
 * Builds the parameter of `search`: NULL, which equals nothing, where the text is not valid for the field.
 */
export const searchParameter = (dialect: SqlDialect, field: Field, operand: Operand): Parameter => ({
  ...placeholdersOf(dialect, field),
  list: false,
  read(input) {
    const read = readValue(field, readOperand(operand, input));
    return read.ok ? dialect.bind(field, read.value) : null;
  },
});

interface ComparedValue {
  readonly value: unknown;
  readonly operand: Operand;
  readonly rounding: Rounding;
}

/**
 * Converts a value to a bound one. An invalid value of a rule or key becomes NULL, which equals nothing, so
 * that the condition matches no row.
 * @throws INVALID_QUERY naming the field and the expected form, for an invalid value of the client
 */
const toBind = (
  dialect: SqlDialect,
  field: Field,
  { value, operand, rounding }: ComparedValue,
): BindValue => {
  if (value === null || value === undefined) return null;
  if (operand.from === 'cursor') return bindSortKey(dialect, field, value);
  const isFromQuery = operand.from === 'query';
  if (isFromQuery && value === '') {
    throw invalidQuery(`"${field.name}" cannot be compared with an empty text; use "_empty"`);
  }
  const bound = bindComparable(dialect, field, { value, rounding, isFromQuery });
  if (bound.ok) return bound.value;
  if (isFromQuery) throw invalidQuery(`"${field.name}" expects ${bound.expected}`);
  return null;
};

/** Returns the field as which a sort key is written into a cursor, and read from one. */
export const cursorFieldOf = (dialect: SqlDialect, field: Field): Field =>
  dialect.cursorField?.(field) ?? field;

/** Converts a sort key of a cursor, also one that clients cannot send, such as `infinity`, to a bound value. */
const bindSortKey = (dialect: SqlDialect, field: Field, value: unknown): BindValue => {
  const kept = withoutLimits(cursorFieldOf(dialect, field));
  const read = readValue(kept, value);
  if (!read.ok) return dialect.bind(kept, spellStored(kept, value as Scalar));
  const bound = dialect.bind(kept, read.value);
  return isSingle(kept) ? toSingle(bound) : bound;
};

/** Writes a date with a time as databases do: in answers it has a `T`, and may have a `Z`. */
const spellStored = ({ type }: Field, value: Scalar): Scalar =>
  (type === 'dateTime' || type === 'timestamp') && typeof value === 'string'
    ? value.replace('T', ' ').replace('Z', '')
    : value;

type BoundValue =
  | { readonly ok: true; readonly value: BindValue }
  | { readonly ok: false; readonly expected: string };

const bindComparable = (
  dialect: SqlDialect,
  field: Field,
  {
    value,
    rounding,
    isFromQuery,
  }: Pick<ComparedValue, 'value' | 'rounding'> & { readonly isFromQuery: boolean },
): BoundValue => {
  const isInteger = field.type === 'integer' || field.type === 'bigInteger';
  const read = readValue(isInteger ? field : withoutLimits(field), value);
  if (read.ok) {
    const bound = dialect.bind(field, read.value);
    return { ok: true, value: isSingle(field) ? toSingle(bound) : bound };
  }
  // a JSON parser rounded the number, so the intended value is unknown
  if (isFromQuery && field.type === 'bigInteger' && isUnsafeInteger(value)) {
    return { ok: false, expected: read.expected };
  }
  // a number out of the column's range is valid in a comparison: it matches nothing
  const number = readOtherNumber(field, value);
  if (!number.ok) return { ok: false, expected: read.expected };
  return {
    ok: true,
    value:
      field.type === 'integer' ? roundTo(rounding, number.value as number, field) : (number.value as number),
  };
};

/** Returns an integer outside the column's range. */
const noInteger = ({ bits = 32 }: Field): number => (bits > 32 ? 2 ** 64 : 2 ** 40);

/**
 * Rounds a number for an integer column, since some databases would round the operand and match rows that
 * differ from it.
 */
const roundTo = (rounding: Rounding, value: number, field: Field): number => {
  const none = noInteger(field);
  if (isYear(field) && value > 0 && value < firstYear) return { up: firstYear, down: 0, none }[rounding];
  if (Math.abs(value) > none) return Math.sign(value) * none;
  if (Number.isSafeInteger(value)) return value;
  if (rounding === 'none') return none;
  return rounding === 'up' ? Math.ceil(value) : Math.floor(value);
};

const withoutLimits = ({ name, type, dbType, fraction, element }: Field): Field => ({
  name,
  type,
  ...(fraction === undefined ? {} : { fraction }),
  ...(dbType === undefined ? {} : { dbType }),
  ...(element === undefined ? {} : { element }),
});
