/**
 * Converts text written by people to descriptions, which are CommonMark, while database comments are plain
 * text.
 */
import type { SchemaObject } from 'openapi3-ts/oas31';
import { oneLine } from '../../print/text.js';

/** A comment must not become markup in the pages that show the document. */
export const plainText = (note: string): string => oneLine(note).replaceAll('<', '&lt;');

/** Joins the sentences that apply, or returns no description where there are none. */
export const description = (...parts: readonly (string | null | false)[]): { description?: string } => {
  const sentences = parts.filter((part): part is string => typeof part === 'string' && part !== '');
  return sentences.length === 0 ? {} : { description: sentences.join(' ') };
};

/** Prints any name as inline code. */
export const code = (name: string): string => {
  const delimiter = name.includes('`') ? '``' : '`';
  return `${delimiter}${oneLine(name)}${delimiter}`;
};

/** Returns a schema with a pattern in place of an `enum` of characters with a tab, which generators of clients refuse in names. */
export const withoutTabs = (schema: SchemaObject): SchemaObject => {
  const { enum: values, ...rest } = schema;
  if (values === undefined || !values.includes('\t')) return schema;
  const characters = values.map((value) => (value === '\t' ? '\\t' : String(value)));
  return { ...rest, pattern: `^[${characters.join('')}]$` };
};
