/** Parameters of statements: from the client's value to the bound one, checked by the field's type. */
import type { Field } from '../../contract/collection.js';
import { invalidQuery } from '../../contract/errors.js';
import type { Operand } from '../plan/types.js';
import { firstYear, isRounded, isYear, readValue } from '../plan/values.js';
import type { BindValue, Match, SqlDialect } from '../databases/contract.js';
import type { BindInput, Parameter } from './fragment.js';
import { isSingle, toSingle } from './singles.js';

/** One value; a list stays one, its variables as they are. */
export const readOperand = (operand: Operand, input: BindInput): unknown =>
  resolveOperand(operand, rawOperand(operand, input), input);

const rawOperand = (operand: Operand, input: BindInput): unknown => {
  switch (operand.from) {
    case 'query':
    case 'text':
      return input.values[operand.slot];
    case 'rule':
      return operand.value;
    case 'key':
      return input.keys[operand.index];
    case 'keys':
      return input.keys;
  }
};

/** What stands for a variable is never one itself. */
const resolveOperand = ({ from }: Operand, value: unknown, input: BindInput): unknown => {
  if (from === 'query') return input.resolveAsked(value);
  return from === 'rule' ? input.resolve(value) : value;
};

/** The values of a list, and of variables that stand for several. */
const readList = (operand: Operand, input: BindInput): readonly unknown[] =>
  operand.from === 'keys'
    ? input.keys
    : [rawOperand(operand, input)].flat().flatMap((value) => resolveOperand(operand, value, input));

/** What a fraction means to a column of whole numbers: the next one above or below, or one that no row has. */
export type Rounding = 'up' | 'down' | 'none';

interface ValueOptions {
  readonly operand: Operand;
  readonly rounding: Rounding;
  /** Which end of a pair. */
  readonly bound?: 0 | 1;
}

/** What may stand for a value that is compared with the field. */
export const placeholdersOf = (
  dialect: SqlDialect,
  field: Field,
): Pick<Parameter, 'placeholder' | 'beyond'> => {
  const beyond = dialect.beyond?.(field) ?? null;
  return { placeholder: dialect.placeholder(field), ...(beyond === null ? {} : { beyond }) };
};

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
    // of a range without one end nothing is known, nor of what is outside
    return ends.includes(null) ? null : (ends[bound] ?? null);
  },
});

export const listParameter = (dialect: SqlDialect, field: Field, operand: Operand): Parameter => ({
  ...placeholdersOf(dialect, field),
  list: true,
  read(input) {
    const list = readList(operand, input);
    // `_in=` without a value finds nothing
    const given = operand.from === 'query' ? list.filter((each) => each !== '') : list;
    return given.map((each) => toBind(dialect, field, { value: each, operand, rounding: 'none' }));
  },
});

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
    // NULL, which nothing is like
    if (value === null || value === undefined || Array.isArray(value)) return null;
    const text = String(value);
    if (text.length > maxPattern)
      throw invalidQuery(`a text to look for may have ${maxPattern} characters at most`);
    return dialect.pattern(kind, text);
  },
});

/** The smallest limit of a database is 50 000 bytes; escaped, a character takes up to four. */
const maxPattern = 10_000;

/** NULL, which nothing equals, where the text cannot be a value of the field. */
export const searchParameter = (dialect: SqlDialect, field: Field, operand: Operand): Parameter => ({
  ...placeholdersOf(dialect, field),
  list: false,
  read(input) {
    const read = readValue(field, readOperand(operand, input));
    return read.ok ? dialect.bind(field, read.value) : null;
  },
});

interface Compared {
  readonly value: unknown;
  readonly operand: Operand;
  readonly rounding: Rounding;
}

/**
 * NULL, which nothing equals, where a rule or key makes no sense: then it holds of no row.
 * @throws INVALID_QUERY naming the field and what it expects, where the client's value makes none
 */
const toBind = (dialect: SqlDialect, field: Field, { value, operand, rounding }: Compared): BindValue => {
  if (value === null || value === undefined) return null;
  const isAsked = operand.from === 'query';
  if (isAsked && value === '') {
    throw invalidQuery(`"${field.name}" cannot be compared with an empty text; use "_empty"`);
  }
  const bound = bindComparable(dialect, field, { value, rounding, isAsked });
  if (bound.ok) return bound.value;
  if (isAsked) throw invalidQuery(`"${field.name}" expects ${bound.expected}`);
  return null;
};

type Bound =
  | { readonly ok: true; readonly value: BindValue }
  | { readonly ok: false; readonly expected: string };

const bindComparable = (
  dialect: SqlDialect,
  field: Field,
  { value, rounding, isAsked }: Pick<Compared, 'value' | 'rounding'> & { readonly isAsked: boolean },
): Bound => {
  const isWhole = field.type === 'integer' || field.type === 'bigInteger';
  const read = readValue(isWhole ? field : withoutLimits(field), value);
  if (read.ok) {
    const bound = dialect.bind(field, read.value);
    return { ok: true, value: isSingle(field) ? toSingle(bound) : bound };
  }
  // which number was meant is not known any more
  if (isAsked && field.type === 'bigInteger' && isRounded(value)) {
    return { ok: false, expected: read.expected };
  }
  // comparing with a number that no row can hold is no mistake: it finds nothing
  const number = isWhole ? readValue({ ...field, type: 'float' }, value) : read;
  if (!number.ok) return { ok: false, expected: read.expected };
  return {
    ok: true,
    value:
      field.type === 'integer' ? roundTo(rounding, number.value as number, field) : (number.value as number),
  };
};

/** Beyond what such a column holds. */
const noInteger = ({ bits = 32 }: Field): number => (bits > 32 ? 2 ** 64 : 2 ** 40);

/** Left to themselves, some databases round the operand, and find rows that differ from it. */
const roundTo = (rounding: Rounding, value: number, field: Field): number => {
  const none = noInteger(field);
  if (isYear(field) && value > 0 && value < firstYear) return { up: firstYear, down: 0, none }[rounding];
  if (Math.abs(value) > none) return Math.sign(value) * none;
  if (Number.isSafeInteger(value)) return value;
  if (rounding === 'none') return none;
  return rounding === 'up' ? Math.ceil(value) : Math.floor(value);
};

const withoutLimits = ({ name, type, dbType, fraction }: Field): Field => ({
  name,
  type,
  ...(fraction === undefined ? {} : { fraction }),
  ...(dbType === undefined ? {} : { dbType }),
});
