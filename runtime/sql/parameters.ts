/** Parameters of statements: from the client's value to the bound one, checked by the field's type. */
import type { Field } from '../collection.js';
import { invalidQuery } from '../errors.js';
import type { Operand } from '../plan/types.js';
import { readValue } from '../plan/values.js';
import type { BindValue, Match, SqlDialect } from './dialect.js';
import type { BindInput, Parameter } from './fragment.js';

export const readOperand = (operand: Operand, input: BindInput): unknown => {
  switch (operand.from) {
    case 'query':
      return input.resolve(input.values[operand.slot]);
    case 'rule':
      return input.resolve(operand.value);
    case 'key':
      return input.keys[operand.index];
    case 'keys':
      return input.keys;
  }
};

/** `bound`: which end of a pair. */
export const valueParameter = (
  dialect: SqlDialect,
  field: Field,
  { operand, bound }: { readonly operand: Operand; readonly bound?: 0 | 1 | number },
): Parameter => ({
  placeholder: dialect.placeholder(field),
  list: false,
  read(input) {
    const value = readOperand(operand, input);
    const one = bound === undefined ? value : input.resolve((value as readonly unknown[])[bound]);
    return toBind(dialect, field, one);
  },
});

export const listParameter = (dialect: SqlDialect, field: Field, operand: Operand): Parameter => ({
  placeholder: dialect.placeholder(field),
  list: true,
  read(input) {
    const value = readOperand(operand, input);
    const list = (Array.isArray(value) ? value : [value]).flatMap((each) => input.resolve(each));
    // `_in=` without a value finds nothing
    return list.filter((each) => each !== '' || field.type === 'string').map((each) => toBind(dialect, field, each));
  },
});

export const matchParameter = (dialect: SqlDialect, kind: Match, operand: Operand): Parameter => ({
  placeholder: '?',
  list: false,
  read: (input) => dialect.pattern(kind, String(readOperand(operand, input) ?? '')),
});

/** NULL, which nothing equals, where the text cannot be a value of the field. */
export const searchParameter = (dialect: SqlDialect, field: Field, operand: Operand): Parameter => ({
  placeholder: dialect.placeholder(field),
  list: false,
  read(input) {
    const read = readValue(field, readOperand(operand, input));
    return read.ok ? dialect.bind(field, read.value) : null;
  },
});

/** @throws INVALID_QUERY naming the field and what it expects */
const toBind = (dialect: SqlDialect, field: Field, value: unknown): BindValue => {
  if (value === null || value === undefined) return null;
  if (value === '') throw invalidQuery(`"${field.name}" cannot be compared with an empty text; use "_empty"`);
  if (field.type === 'integer' || field.type === 'bigInteger') return toWholeNumber(dialect, field, value);
  const read = readValue(withoutLimits(field), value);
  if (!read.ok) throw invalidQuery(`"${field.name}" expects ${read.expected}`);
  return dialect.bind(field, read.value);
};

/** Comparing with a number that no row can hold is no mistake: it finds nothing. */
const toWholeNumber = (dialect: SqlDialect, field: Field, value: unknown): BindValue => {
  const read = readValue(field, value);
  if (read.ok) return dialect.bind(field, read.value);
  const number = readValue({ ...field, type: 'float' }, value);
  if (!number.ok) throw invalidQuery(`"${field.name}" expects ${read.expected}`);
  return number.value as number;
};

const withoutLimits = ({ name, type, dbType, fraction }: Field): Field => ({
  name,
  type,
  ...(fraction === undefined ? {} : { fraction }),
  ...(dbType === undefined ? {} : { dbType }),
});
