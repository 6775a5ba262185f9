/** Keys of parents as one text each, whatever their columns. */
import type { Field } from '../../contract/collection.js';
import type { BindValue, SqlDialect } from '../databases/contract.js';

/** One text for a key of one or several columns; bytes are the characters of their numbers (latin1). */
export const joinKey = (parts: readonly string[]): string =>
  parts.length === 1 ? (parts[0] ?? '') : JSON.stringify(parts);

/** A key of several columns as it is shown: `splitKey` takes it back. */
export const showKey = (parts: readonly (string | null)[], fields: readonly Field[]): string =>
  parts.map((part, index) => encodeURIComponent(showPart(part ?? '', fields[index]?.type))).join(',');

/** As databases write what is true; the last is a bit. */
const truths: ReadonlySet<string> = new Set(['t', '1', '\u0001']);

const showPart = (part: string, type: Field['type'] | undefined): string => {
  if (type === 'boolean') return String(truths.has(part));
  return type === 'binary' ? Buffer.from(part, 'latin1').toString('base64') : part;
};

/** A part of a joined key as a bound value. `null`, which nothing equals, where there is no key. */
export const bindKeyPart = (
  key: unknown,
  column: number,
  { fields, dialect }: { readonly fields: readonly Field[]; readonly dialect: SqlDialect },
): BindValue => {
  const field = fields[column];
  if (typeof key !== 'string' || field === undefined) return null;
  const text = fields.length === 1 ? key : ((JSON.parse(key) as string[])[column] ?? '');
  // where columns hold any type, a key may be no whole number though the column that refers to it declares one
  if (field.type === 'integer') return isExact(text) ? dialect.bind(field, Number(text)) : text;
  if (field.type === 'binary') return Buffer.from(text, 'latin1');
  return field.type === 'bigInteger' ? dialect.bind(field, text) : text;
};

const isExact = (text: string): boolean =>
  /^-?\d+(?:\.0*)?$/.test(text) && Number.isSafeInteger(Number(text));

/** Whole numbers and texts are what they are; bits and floats need the words that comparing them needs. */
export const keyPlaceholder = (field: Field | undefined, dialect: SqlDialect): string =>
  field?.type === 'binary' || field?.type === 'float' ? dialect.placeholder(field) : '?';
