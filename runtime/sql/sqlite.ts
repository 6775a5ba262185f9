/** SQLite 3.45+. */
import type { Match, SqlDialect } from './dialect.js';

const patterns: Readonly<Record<Match, (text: string) => string>> = {
  contains: (text) => `*${escapeGlob(text)}*`,
  startsWith: (text) => `${escapeGlob(text)}*`,
  endsWith: (text) => `*${escapeGlob(text)}`,
  icontains: (text) => `%${escapeLike(text)}%`,
  istartsWith: (text) => `${escapeLike(text)}%`,
  iendsWith: (text) => `%${escapeLike(text)}`,
};

const escapeGlob = (text: string): string => text.replaceAll(/[*?[]/g, '[$&]');
const escapeLike = (text: string): string => text.replaceAll(/[!%_]/g, '!$&');

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
  // GLOB minds the case, LIKE does not
  match: (kind) => (kind.startsWith('i') ? ['lower(', ') like lower(', ") escape '!'"] : ['', ' glob ', '']),
  // patterns end at a zero character: one that nothing matches takes its place
  pattern: (kind, text) => (text.includes('\0') ? (kind.startsWith('i') ? '!' : '[') : patterns[kind](text)),
};
