/** Reads the text of literal defaults, as catalogs have it, in their JSON form. */
import type { FieldShape } from './field-shapes.js';

/** Returns a default in its JSON form, or null where that is not a plain value. */
export type ReadDefault = (
  text: string,
  shape: Pick<FieldShape, 'scale'>,
) => string | number | boolean | null;

export const defaultReaders = {
  text: (text) => text,
  number: (text) => (Number.isFinite(Number(text)) ? Number(text) : null),
  /** Pads a decimal with zeros to the scale of its column. */
  decimal(text, { scale }) {
    const [whole = '', fraction = ''] = text.split('.');
    return (scale ?? 0) <= fraction.length ? text : `${whole}.${fraction.padEnd(scale ?? 0, '0')}`;
  },
  boolean: (text) => /^(1|t|true|b'1')$/i.test(text),
  dateTime: (text) => text.replace(/^(\S+) (\S+)$/, '$1T$2'),
  timestamp: (text) => text.replace(/^(\S+) ([^\sZ]+)Z?$/, '$1T$2Z'),
} as const satisfies Readonly<Record<string, ReadDefault>>;
