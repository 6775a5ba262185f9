/** Compares the values that a column's types take before and after a change. */
import type { SchemaPrinter } from '../../databases/contract.js';
import type { ColumnShape } from '../shapes.js';

interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

const rangeOf = ({ dataType }: ColumnShape, { integerBits }: SchemaPrinter): Range | null => {
  const [, base = '', unsigned] = /^(\w+)( unsigned)?(?: zerofill)?$/.exec(dataType.toLowerCase()) ?? [];
  const bits = integerBits.get(base);
  if (bits === undefined) return null;
  const half = 2n ** BigInt(bits - 1);
  return unsigned === undefined ? { min: -half, max: half - 1n } : { min: 0n, max: 2n * half - 1n };
};

/** Returns the range of an integer type that lacks values of the old one. */
export const narrowedRange = (
  old: ColumnShape,
  column: ColumnShape,
  printer: SchemaPrinter,
): Range | null => {
  const [from, to] = [rangeOf(old, printer), rangeOf(column, printer)];
  if (from === null || to === null) return null;
  return from.min < to.min || from.max > to.max ? to : null;
};

/** Types of texts. */
export const texts =
  /^(?:char|varchar|character varying|character|tinytext|text|mediumtext|longtext|citext)$/i;
const binaries = /^(?:binary|varbinary|(?:tiny|medium|long)?blob)$/i;
/** From the fewest characters to the most, where no length is given. */
const textOrder = [
  'char',
  'character',
  'varchar',
  'character varying',
  'tinytext',
  'text',
  'citext',
  'mediumtext',
  'longtext',
];

/** Returns whether the new type cannot hold every value of the old one. */
export const isConverted = (old: ColumnShape, column: ColumnShape, printer: SchemaPrinter): boolean => {
  const [from, to] = [old.dataType.toLowerCase(), column.dataType.toLowerCase()];
  if (from === to || limitOfBytes(old, column, printer) !== null) return false;
  // labels are texts
  if (old.values !== null) return from.endsWith('[]') || !(texts.test(to) || column.values !== null);
  if (rangeOf(old, printer) !== null && rangeOf(column, printer) !== null) return false;
  if (texts.test(from) && texts.test(to)) {
    return column.length === null && textOrder.indexOf(to) < textOrder.indexOf(from);
  }
  if (from === 'float' && to === 'double') return column.scale !== null;
  return !(from === 'real' && to === 'double precision');
};

/** Returns whether the new type takes fewer characters than the old one. */
export const isShortened = (old: ColumnShape, column: ColumnShape): boolean =>
  texts.test(column.dataType) &&
  column.length !== null &&
  (old.length === null || column.length < old.length);

const maxCharacterBytes = 4;

/** Returns the most bytes that the new type takes, where the old one may hold more. */
export const exceededBytes = (
  old: ColumnShape,
  column: ColumnShape,
  printer: SchemaPrinter,
): number | null => {
  const limit = limitOfBytes(old, column, printer);
  if (limit === null) return null;
  const declared =
    old.length === null ? Infinity : old.length * (texts.test(old.dataType) ? maxCharacterBytes : 1);
  return (printer.byteLimits?.get(old.dataType.toLowerCase()) ?? declared) > limit ? limit : null;
};

/** Returns the most bytes that the new type takes, where both are texts or both are bytes, so that all else is kept. */
const limitOfBytes = (old: ColumnShape, column: ColumnShape, { byteLimits }: SchemaPrinter): number | null =>
  [texts, binaries].some((kind) => kind.test(old.dataType) && kind.test(column.dataType))
    ? (byteLimits?.get(column.dataType.toLowerCase()) ?? null)
    : null;

/** Digits before the point; a number without a scale has as many as it needs. */
const wholeDigits = ({ precision, scale }: ColumnShape): number =>
  scale === null ? Infinity : (precision ?? Infinity) - scale;

const lengthOf = ({ length, precision }: ColumnShape): number => length ?? precision ?? Infinity;

/** Digits of a number or time, bits, or characters of the texts of a list, that are fewer than before. */
export const isNarrowed = (
  old: ColumnShape,
  column: ColumnShape,
  { usualFraction }: SchemaPrinter,
): boolean => {
  if (old.dataType !== column.dataType) return false;
  const isNumber = /^(?:decimal|numeric|float|double)/i.test(column.dataType);
  return (
    (isNumber &&
      (wholeDigits(column) < wholeDigits(old) || (column.scale ?? Infinity) < (old.scale ?? Infinity))) ||
    (column.fraction ?? usualFraction) < (old.fraction ?? usualFraction) ||
    (/binary|bit|char.*\[\]$/i.test(column.dataType) && lengthOf(column) < lengthOf(old))
  );
};
