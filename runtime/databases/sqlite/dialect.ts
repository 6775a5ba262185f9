/** SQLite 3.45+. */
import type { Scalar } from '../../plan/values.js';
import type { BindValue, Match, SqlDialect } from '../contract.js';
import { readViolation } from './violations.js';
import { escapeLike, likePattern } from '../../sql/like.js';

const escapeGlob = (text: string): string => text.replaceAll(/[*?[]/g, '[$&]');

/** GLOB minds the case, LIKE does not. */
const toPattern = (kind: Match, text: string): string =>
  kind.startsWith('i') ? likePattern(kind, escapeLike(text)) : likePattern(kind, escapeGlob(text), '*');

/** Anything but a whole number of 64 bits is bound as it is: columns hold it, and others that refer to them. */
const toWhole = (value: Exclude<Scalar, boolean>): BindValue => {
  if (Buffer.isBuffer(value) || !/^[+-]?\d+$/.test(String(value))) return value;
  const whole = BigInt(value);
  return whole === BigInt.asIntN(64, whole) ? whole : value;
};

export const sqlite: SqlDialect = {
  name: 'sqlite',
  returning: true,
  updateAnswer: 'transaction',
  shareLock: '',
  emptyRow: 'default values',
  rowLock: '',
  readViolation,
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
  placeholder: (field) => (field.type === 'decimal' ? 'cast(? as numeric)' : '?'),
  bind(field, value) {
    if (typeof value === 'boolean') return Number(value);
    return field.type === 'integer' || field.type === 'bigInteger' ? toWhole(value) : value;
  },
  match: (kind) => (kind.startsWith('i') ? ['lower(', ') like lower(', ") escape '!'"] : ['', ' glob ', '']),
  // patterns end at a zero character: one that nothing matches takes its place
  pattern: (kind, text) => (text.includes('\0') ? (kind.startsWith('i') ? '!' : '[') : toPattern(kind, text)),
};
