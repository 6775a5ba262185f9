/** Element types of array columns, by the name of the database type. Pure. */
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

/** Fractional digits of a second where the type does not declare them. */
const defaultFraction = 6;

export const isArrayColumn = ({ type, dbType }: Pick<Field, 'type' | 'dbType'>): boolean =>
  type === 'json' && dbType?.endsWith('[]') === true;

/**
 * Returns the element of an array type such as `timestamp(3) without time zone[]`, or null for types whose
 * elements only the database parses.
 */
export const elementOf = ({ dbType = '' }: Pick<Field, 'dbType'>): Field | null => {
  const [precision, digits] = /\((\d+).*?\)/.exec(dbType) ?? [''];
  const element = elements.get(dbType.replace(precision, '').slice(0, -'[]'.length));
  return element === undefined
    ? null
    : { ...element, name: '', fraction: digits === undefined ? defaultFraction : Number(digits) };
};
