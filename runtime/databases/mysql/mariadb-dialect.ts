/** MariaDB 10.11+. */
import type { Field } from '../../../contract/collection.js';
import { completeCollation, hasCharacters } from './character-sets.js';
import type { SqlDialect } from '../contract.js';
import { readViolation } from './violations.js';
import { escapeLike, likePattern } from '../../sql/like.js';
import { fitsSingle, isSingle } from '../../sql/singles.js';

/** As many digits after the point as there are, and as leave room for those before it. */
const fractionOf = ({ precision = 0, scale = 0 }: Field): number =>
  Math.min(Math.max(30, scale), 65 - (precision - scale));

export const mariadb: SqlDialect = {
  name: 'mariadb',
  returning: true,
  updateAnswer: 'after',
  shareLock: ' lock in share mode',
  emptyRow: '() values ()',
  rowLock: ' for update',
  readViolation,
  quote: (name) => `\`${name.replaceAll('`', '``')}\``,
  // comparing these with a bound text would compare doubles; a cast to 64 bits would bend what is larger
  placeholder(field) {
    if (field.type === 'decimal' || field.type === 'bigInteger')
      return `cast(? as decimal(65,${fractionOf(field)}))`;
    // bits are compared as the number they are
    if (field.type === 'binary' && field.dbType === 'bit') return 'cast(conv(hex(?), 16, 10) as unsigned)';
    return isSingle(field) ? 'cast(? as float)' : '?';
  },
  // such a number is cast to no 4-byte float: the statement fails
  beyond(field) {
    if (isSingle(field)) return { placeholder: 'cast(? as double)', fits: fitsSingle };
    const { collation } = field;
    if (collation === undefined) return null;
    // compared in a set that has its characters, such a text finds nothing; left as it is, the statement fails
    return {
      placeholder: `? collate ${completeCollation(collation)}`,
      fits: (value) => typeof value !== 'string' || hasCharacters(collation, value),
    };
  },
  bind: (_field, value) => (typeof value === 'boolean' ? Number(value) : value),
  match: (kind) =>
    kind.startsWith('i') ? ['lower(', ') like lower(', ") escape '!'"] : ['', ' like ', " escape '!'"],
  pattern: (kind, text) => likePattern(kind, escapeLike(text)),
};
