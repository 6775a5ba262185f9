/**
 * Converts text written by people to descriptions, which are CommonMark, while database comments are plain
 * text.
 */
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
