/** SQLite 3.45+. */
import type { Match, SqlDialect } from './dialect.js';
import { escapeLike, likePattern } from './like.js';

const escapeGlob = (text: string): string => text.replaceAll(/[*?[]/g, '[$&]');

/** GLOB minds the case, LIKE does not. */
const toPattern = (kind: Match, text: string): string =>
  kind.startsWith('i') ? likePattern(kind, escapeLike(text)) : likePattern(kind, escapeGlob(text), '*');

export const sqlite: SqlDialect = {
  name: 'sqlite',
  returning: true,
  shareLock: '',
  emptyRow: 'default values',
  rowLock: '',
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
  placeholder: (field) => (field.type === 'decimal' ? 'cast(? as numeric)' : '?'),
  bind(field, value) {
    if (typeof value === 'boolean') return Number(value);
    if (field.type === 'integer') return BigInt(value as number);
    return field.type === 'bigInteger' ? BigInt(value as string) : value;
  },
  match: (kind) => (kind.startsWith('i') ? ['lower(', ') like lower(', ") escape '!'"] : ['', ' glob ', '']),
  // patterns end at a zero character: one that nothing matches takes its place
  pattern: (kind, text) => (text.includes('\0') ? (kind.startsWith('i') ? '!' : '[') : toPattern(kind, text)),
};
