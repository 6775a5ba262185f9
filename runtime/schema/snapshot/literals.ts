/** Literal defaults as snapshots spell them: `5` and `"5"` are the same number, `1` and `"true"` the same flag. Pure. */
import { normalizeNumber } from '../expressions/numbers.js';
import type { ColumnKind } from '../expressions/tree.js';

type Literal = string | number | boolean;

/** Returns whether a default of the database and one of a snapshot are the same; a text is no flag. */
export const isSameLiteral = (present: Literal, value: Literal, kind: ColumnKind): boolean => {
  if (kind === 'boolean') return present === value;
  const [left, right] = [String(present), String(value)];
  const isNumeric = isNumber(kind) && isDecimal(left) && isDecimal(right);
  return left === right || (isNumeric && normalizeNumber(left) === normalizeNumber(right));
};

/** Returns a default as the column stores it, however it is spelled. */
export const toLiteral = (value: Literal, kind: ColumnKind): Literal => {
  const text = String(value);
  if (kind === 'text') return text;
  if (kind === 'boolean') return flags.get(text) ?? value;
  return isNumber(kind) && typeof value === 'string' && isDecimal(value) ? normalizeNumber(value) : value;
};

const isNumber = (kind: ColumnKind): boolean => kind === 'number' || kind === 'smallint';

const isDecimal = (text: string): boolean => /^-?\d+(?:\.\d+)?$/.test(text);

const flags: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);
