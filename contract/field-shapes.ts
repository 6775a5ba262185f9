/** Builds the JSON Schemas of field types with limits. */
import type { GeometryShape } from './geometry.js';

/** Column properties that determine its JSON Schema and example; `null`: unlimited or unknown. */
export interface FieldShape {
  /** Characters (string, text, csv), bytes (binary), numbers (vector). */
  readonly length: number | null;
  readonly precision: number | null;
  readonly scale: number | null;
  /** Integer width in bits and sign. */
  readonly bits: number | null;
  readonly unsigned: boolean;
  /** Digits after the second. */
  readonly fraction: number | null;
  /** Enum values. */
  readonly values: readonly string[] | null;
  /** The geometries that are held. */
  readonly geometry: GeometryShape | null;
}

/** Values that the server returns (`read`) or accepts (`write`). */
export type Direction = 'read' | 'write';

/** JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Returns the schema of an integer; a JSON number is exact up to 53 bits and a sign. */
export const integerSchema = ({ bits, unsigned }: FieldShape): JsonSchema => {
  const width = bits ?? 32;
  return unsigned
    ? { type: 'integer', minimum: 0, maximum: Math.min(2 ** width - 1, Number.MAX_SAFE_INTEGER) }
    : {
        type: 'integer',
        minimum: Math.max(-(2 ** (width - 1)), Number.MIN_SAFE_INTEGER),
        maximum: 2 ** (width - 1) - 1,
      };
};

/**
 * Returns the schema of a decimal as an exact string. The database rounds digits beyond the column's scale.
 */
export const decimalSchema = ({ precision, scale }: FieldShape, direction: Direction): JsonSchema => {
  if (direction === 'read') return { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]+)?$' };
  const digits = precision === null ? null : precision - (scale ?? 0);
  const whole = digits === null ? '[0-9]+' : digits === 0 ? '0' : `[0-9]{1,${digits}}`;
  return { type: ['string', 'number'], pattern: `^-?${whole}(\\.[0-9]+)?$` };
};

/**
 * Returns a valid value with as many digits after the point as the column keeps: `1.00`, or `0.00` where it
 * has none before.
 */
export const decimalExample = ({ precision, scale }: FieldShape): string => {
  const whole = precision !== null && precision === scale ? '0' : '1';
  return scale === null || scale === 0 ? whole : `${whole}.${'0'.repeat(scale)}`;
};

export const day = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
export const clock = '[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,6})?';
/** Pattern of a time span, which some databases store in the same type. */
export const span = `-?[0-9]?${clock}`;

/**
 * Returns the fraction of a second in examples of times, `.000`, with as many digits as the column keeps;
 * empty without any.
 */
export const fractionOf = ({ fraction }: FieldShape): string =>
  fraction === null || fraction === 0 ? '' : `.${'0'.repeat(fraction)}`;
