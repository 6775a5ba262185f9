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

/** As many digits after the point as there are, and as leave room for those before it. */
const fractionOf = ({ precision = 0, scale = 0 }: Field): number =>
  Math.min(Math.max(30, scale), 65 - (precision - scale));

export const mariadb: SqlDialect = {
  name: 'mariadb',
  returning: true,
  shareLock: ' lock in share mode',
  emptyRow: '() values ()',
  rowLock: ' for update',
  quote: (name) => `\`${name.replaceAll('`', '``')}\``,
  // comparing these with a bound text would compare doubles; a cast to 64 bits would bend what is larger
  placeholder(field) {
    if (field.type === 'decimal' || field.type === 'bigInteger')
      return `cast(? as decimal(65,${fractionOf(field)}))`;
    // bits are compared as the number they are
    if (field.type === 'binary' && field.dbType === 'bit') return 'cast(conv(hex(?), 16, 10) as unsigned)';
    return field.type === 'float' && isSingle(field) ? 'cast(? as float)' : '?';
  },
  bind: (_field, value) => (typeof value === 'boolean' ? Number(value) : value),
  match: (kind) =>
    kind.startsWith('i') ? ['lower(', ') like lower(', ") escape '!'"] : ['', ' like ', " escape '!'"],
  pattern: (kind, text) => patterns[kind](text),
};
