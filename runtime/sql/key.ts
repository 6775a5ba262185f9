/** Encodes the key of a parent as one text, for any columns. */
import type { Field } from '../../contract/collection.js';
import type { BindValue, SqlDialect } from '../databases/contract.js';

/** Encodes a key of one or several columns as text; bytes are encoded as latin1. */
export const joinKey = (parts: readonly string[]): string =>
  parts.length === 1 ? (parts[0] ?? '') : JSON.stringify(parts);

/** Formats a composite key for output, in the form that `splitKey` parses. */
export const showKey = (parts: readonly (string | null)[], fields: readonly Field[]): string =>
  parts.map((part, index) => encodeURIComponent(showPart(part ?? '', fields[index]?.type))).join(',');

/** Texts of `true` in the databases' protocols; the last is that of a BIT column. */
const truths: ReadonlySet<string> = new Set(['t', '1', '\u0001']);

const showPart = (part: string, type: Field['type'] | undefined): string => {
  if (type === 'boolean') return String(truths.has(part));
  return type === 'binary' ? Buffer.from(part, 'latin1').toString('base64') : part;
};

/**
 * Returns one part of an encoded key as a bound value, or null, which equals nothing, where there is no key.
 */
export const bindKeyPart = (
  key: unknown,
  column: number,
  { fields, dialect }: { readonly fields: readonly Field[]; readonly dialect: SqlDialect },
): BindValue => {
  const field = fields[column];
  if (typeof key !== 'string' || field === undefined) return null;
  const text = fields.length === 1 ? key : ((JSON.parse(key) as string[])[column] ?? '');
  // in a database without strict types, a column declared as integer may contain another type, and so may the
  // key that it refers to
  if (field.type === 'integer') return isExact(text) ? dialect.bind(field, Number(text)) : text;
  if (field.type === 'binary') return Buffer.from(text, 'latin1');
  return field.type === 'bigInteger' ? dialect.bind(field, text) : text;
};

const isExact = (text: string): boolean =>
  /^-?\d+(?:\.0*)?$/.test(text) && Number.isSafeInteger(Number(text));

/** Returns the placeholder of a key part: `?`, except for types whose comparison needs a cast. */
export const keyPlaceholder = (field: Field | undefined, dialect: SqlDialect): string =>
  field?.type === 'binary' || field?.type === 'float' ? dialect.placeholder(field) : '?';
