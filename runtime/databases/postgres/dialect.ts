/** PostgreSQL 15+. */
import type { Field } from '../../../contract/collection.js';
import { elementOf, isArray } from '../../plan/elements.js';
import { keptValue, readValue } from '../../plan/values.js';
import type { BindValue, SqlDialect } from '../contract.js';
import { readViolation } from './violations.js';
import { escapeLike, likePattern } from '../../sql/like.js';
import { fitsSingle, isSingle } from '../../sql/singles.js';

/** Texts have no zero character: what follows it is looked for alone, and what no text has in its place. */
const escapeText = (text: string): string => escapeLike(text).replaceAll('\0', '\u{10ffff}');

/** Types that texts are written to and read from, but that compare as something else. */
const isOnlyLikeText = ({ type, values, dbType }: Field): boolean =>
  type === 'string' && (values !== undefined || (dbType !== undefined && dbType !== 'character'));

const isPadded = ({ dbType }: Field): boolean => dbType === 'character';

const castToText = ['cast(', ' as text)'] as const;
const asItIs = ['', ''] as const;

/** `abbrev` spells an address as it is shown; a cast would add the mask. */
const asText = (field: Field): readonly [string, string] => {
  if (!isOnlyLikeText(field)) return asItIs;
  return field.dbType === 'inet' ? ['abbrev(', ')'] : castToText;
};

/** Types that have no order, or that svc does not know. */
const isUnordered = ({ type }: Field): boolean => type === 'json' || type === 'unknown';

export const postgres: SqlDialect = {
  name: 'postgres',
  returning: true,
  updateAnswer: 'returned',
  emptyRow: 'default values',
  rowLock: ' for update',
  shareLock: ' for share',
  // a bound one is guessed to be a tenth of all rows: such a plan is never kept, or is one for many rows
  limitInText: true,
  array: (values) => `{${values.map(spellBound).join(',')}}`,
  readViolation,
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
  // else a number that is too large for the column would be no number at all
  placeholder: (field) => (field.type === 'integer' ? 'cast(? as bigint)' : '?'),
  beyond(field) {
    if (field.type === 'bigInteger') {
      return { placeholder: 'cast(? as numeric)', fits: (value) => typeof value !== 'number' };
    }
    // text that fits no 4-byte float becomes no number at all
    return isSingle(field) ? { placeholder: 'cast(? as double precision)', fits: fitsSingle } : null;
  },
  bind(field, value) {
    if (typeof value === 'boolean') return Number(value);
    if (typeof value !== 'string') return value;
    if (isArray(field)) return jsonToArray(value, elementOf(field));
    return moments.has(field.type) ? spellYear(value) : value;
  },
  match(kind, field) {
    const [before, after] = isPadded(field) ? castToText : asText(field);
    return kind.startsWith('i')
      ? [`lower(${before}`, `${after}) like lower(`, ") escape '!'"]
      : [before, `${after} like `, " escape '!'"];
  },
  pattern: (kind, text) => likePattern(kind, escapeText(text)),
  asText,
  order(field, descending) {
    const [before, after] = isUnordered(field) ? castToText : asItIs;
    const direction = descending ? ' desc' : '';
    // nulls are the smallest values, as elsewhere
    const nulls = descending ? ' nulls last' : ' nulls first';
    return { before, after: `${after}${direction}`, nulls };
  },
};

const moments: ReadonlySet<Field['type']> = new Set(['date', 'dateTime', 'timestamp'] as const);

/** There is no year 0: the one before year 1 is called 1 BC. */
const spellYear = (moment: string): string =>
  moment.startsWith('0000-') ? `0001${moment.slice(4)} BC` : moment;

/** `[1, null, "a"]` → `{1,NULL,"a"}`. Anything but a list becomes a text that is no array either. */
const jsonToArray = (json: string, element: Field | null): string => {
  const value: unknown = JSON.parse(json);
  if (!Array.isArray(value)) return 'not a list';
  return spellArray(value, element);
};

const spellArray = (values: readonly unknown[], element: Field | null): string =>
  `{${values.map((value) => spellElement(value, element)).join(',')}}`;

/** As a column of the element's type takes it. */
const spellElement = (value: unknown, element: Field | null): string => {
  if (value === null) return 'NULL';
  if (element?.type === 'json') return spellString(JSON.stringify(value));
  if (Array.isArray(value)) return spellArray(value, element);
  const read = element === null ? null : readValue(element, value);
  if (element !== null && read?.ok === true) {
    return spellBound(postgres.bind(element, keptValue(element, read.value)));
  }
  return spellString(typeof value === 'object' ? JSON.stringify(value) : String(value));
};

const spellBound = (value: BindValue): string => {
  if (value === null) return 'NULL';
  if (Buffer.isBuffer(value)) return spellString(`\\x${value.toString('hex')}`);
  return typeof value === 'string' ? spellString(value) : String(value);
};

const spellString = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
