/** Text of people inside descriptions: CommonMark there, plain in a database comment. */
import { oneLine } from '../../print/text.js';

/** A comment must not become markup in the pages that show the document. */
export const plainText = (note: string): string => oneLine(note).replaceAll('<', '&lt;');

/** Sentences that apply, joined; `undefined` where there are none. */
export const description = (...parts: readonly (string | null | false)[]): { description?: string } => {
  const sentences = parts.filter((part): part is string => typeof part === 'string' && part !== '');
  return sentences.length === 0 ? {} : { description: sentences.join(' ') };
};

/** A name as code, whatever it holds. */
export const code = (name: string): string => {
  const fence = name.includes('`') ? '``' : '`';
  return `${fence}${oneLine(name)}${fence}`;
};
