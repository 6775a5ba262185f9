/** The result of parsing one value. */
import type { FieldDeclaration } from '../../contract/fields.js';

/**
 * A value in canonical form: decimals and 64-bit integers as text, dates as text without a zone in UTC, csv
 * and json as text.
 */
export type Scalar = string | number | boolean | Buffer;

export type ParsedValue =
  | { readonly ok: true; readonly value: Scalar }
  | { readonly ok: false; readonly problem: 'type' | 'range' | 'length'; readonly expected: string };

/** Creates the result of a value in its stored form. */
export const accept = (value: Scalar): ParsedValue => ({ ok: true, value });

/** Creates the result of an invalid value. `expected` completes the sentence "expected …". */
export const refuse = (expected: string, problem: 'type' | 'range' | 'length' = 'type'): ParsedValue => ({
  ok: false,
  problem,
  expected,
});

/** Parses a non-null value of a field. */
export type Reader = (value: unknown, field: FieldDeclaration) => ParsedValue;
