/** Converts values between PostgreSQL's text format and JavaScript. */
import type { BindValue } from '../contract.js';
import type { CellValue } from '../../execute/cells.js';

/** OIDs of the types that need conversion (`select oid, typname from pg_type`). */
export const postgresType = {
  boolean: 16,
  bytes: 17,
  bigint: 20,
  smallint: 21,
  integer: 23,
  text: 25,
  oid: 26,
  json: 114,
  real: 700,
  double: 701,
  character: 1042,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  jsonb: 3802,
} as const;

/**
 * Converts a non-null value: booleans to 1 and 0, times without their zone, which is UTC; numbers that a double cannot
 * represent stay text.
 */
export const textToCell = (text: string, type: number): CellValue => {
  switch (type) {
    case postgresType.boolean:
      return text === 't' ? 1 : 0;
    case postgresType.smallint:
    case postgresType.integer:
    case postgresType.oid:
      return Number(text);
    case postgresType.real:
    case postgresType.double:
      return Number.isFinite(Number(text)) ? Number(text) : text;
    case postgresType.bigint:
      return Number.isSafeInteger(Number(text)) ? Number(text) : text;
    case postgresType.bytes:
      return Buffer.from(text.slice(2), 'hex');
    case postgresType.character:
      return text.replace(/ +$/, '');
    case postgresType.date:
    case postgresType.timestamp:
    case postgresType.timestamptz:
      return dateTimeText(text);
    default:
      return text;
  }
};

/** Removes the zone and writes 1 BC as year 0, as in ISO 8601. */
export const dateTimeText = (text: string): string => {
  const plain = text.replace(/\+00(?= BC$|$)/, '');
  if (!plain.endsWith(' BC')) return plain;
  const [, year = '', rest = ''] = /^(\d+)(.*) BC$/.exec(plain) ?? [];
  const before = Number(year) - 1;
  return `${before === 0 ? '' : '-'}${String(before).padStart(4, '0')}${rest}`;
};

/** Returns a value as it is bound: bytes unchanged, anything else as text. */
export const bindToText = (value: BindValue): string | Buffer | null =>
  value === null || Buffer.isBuffer(value) ? value : String(value);
