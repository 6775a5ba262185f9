/** MariaDB 10.11+. */
import type { Field } from '../collection.js';
import type { Match, SqlDialect } from './dialect.js';

const patterns: Readonly<Record<Match, (text: string) => string>> = {
  contains: (text) => `%${escapeLike(text)}%`,
  icontains: (text) => `%${escapeLike(text)}%`,
  startsWith: (text) => `${escapeLike(text)}%`,
  istartsWith: (text) => `${escapeLike(text)}%`,
  endsWith: (text) => `%${escapeLike(text)}`,
  iendsWith: (text) => `%${escapeLike(text)}`,
};

const escapeLike = (text: string): string => text.replaceAll(/[!%_]/g, '!$&');

const isSingle = (field: Field): boolean => /^float/i.test(field.dbType ?? '');

export const mariadb: SqlDialect = {
  name: 'mariadb',
  returning: true,
  emptyRow: '() values ()',
  rowLock: ' for update',
  quote: (name) => `\`${name.replaceAll('`', '``')}\``,
  // comparing these with a bound text would compare doubles; a cast to 64 bits would bend what is larger
  placeholder(field) {
    if (field.type === 'decimal' || field.type === 'bigInteger') return 'cast(? as decimal(65,30))';
    return field.type === 'float' && isSingle(field) ? 'cast(? as float)' : '?';
  },
  bind: (_field, value) => (typeof value === 'boolean' ? Number(value) : value),
  match: (kind) =>
    kind.startsWith('i') ? ['lower(', ') like lower(', ") escape '!'"] : ['', ' like ', " escape '!'"],
  pattern: (kind, text) => patterns[kind](text),
};
