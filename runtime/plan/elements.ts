/** What the elements of an array column are, by the name of its type. Pure. */
import type { Field } from '../../contract/collection.js';

type Element = Omit<Field, 'name'>;

const elements: ReadonlyMap<string, Element> = new Map<string, Element>([
  ['smallint', { type: 'integer', bits: 16 }],
  ['integer', { type: 'integer' }],
  ['bigint', { type: 'bigInteger' }],
  ['numeric', { type: 'decimal' }],
  ['real', { type: 'float' }],
  ['double precision', { type: 'float' }],
  ['boolean', { type: 'boolean' }],
  ['character', { type: 'string' }],
  ['bytea', { type: 'binary' }],
  ['date', { type: 'date' }],
  ['time without time zone', { type: 'time' }],
  ['timestamp without time zone', { type: 'dateTime' }],
  ['timestamp with time zone', { type: 'timestamp' }],
  ['uuid', { type: 'uuid' }],
  ['json', { type: 'json' }],
  ['jsonb', { type: 'json' }],
]);

/** Digits after the second where the type says none. */
const mostDigits = 6;

export const isArray = ({ type, dbType }: Pick<Field, 'type' | 'dbType'>): boolean =>
  type === 'json' && dbType?.endsWith('[]') === true;

/** Of an array such as `timestamp(3) without time zone[]`; `null`: texts that the database alone reads. */
export const elementOf = ({ dbType = '' }: Pick<Field, 'dbType'>): Field | null => {
  const [said, digits] = /\((\d+).*?\)/.exec(dbType) ?? [''];
  const element = elements.get(dbType.replace(said, '').slice(0, -'[]'.length));
  return element === undefined
    ? null
    : { ...element, name: '', fraction: digits === undefined ? mostDigits : Number(digits) };
};
