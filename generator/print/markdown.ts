/** The border between data and Markdown: notes and names reach pages only through here. */
import { oneLine, visible } from './text.js';

/**
 * Text inside a line: what stands between backticks is code, nothing else in it is markup, in a table neither. A
 * backtick without a second one is a character.
 */
export const text = (value: string): string =>
  oneLine(value)
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 1 ? code(part) : escape(part)))
    .join('');

/** An underscore inside a word is no markup. */
const escape = (value: string): string =>
  value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/[\\`*[\]|~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&');

/** The same at the start of a line, where more is markup: lists, headings, quotes. */
export const paragraph = (value: string): string =>
  text(value)
    .replace(/^[-+#>=]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2');

/** Code inside a line. What a code span cannot hold everywhere is spelled in HTML. */
export const code = (value: string): string => {
  const shown = visible(value);
  return shown === '' || /[`|\\]|^\s|\s$/.test(shown) ? `<code>${toEntities(shown)}</code>` : `\`${shown}\``;
};

export const link = (label: string, target: string): string => `[${text(label)}](${encodeURI(target)})`;

/** Cells are Markdown already. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** Parts of a page, a blank line between them. */
export const page = (parts: readonly string[]): string => `${parts.join('\n\n')}\n`;

/** A fenced block, in a fence longer than any inside it. */
export const codeBlock = (language: string, content: string): string => {
  const longest = Math.max(2, ...Array.from(content.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${content}\n${fence}`;
};

const toEntities = (value: string): string =>
  value.replace(/[^\p{L}\p{N} ]/gu, (character) => `&#${character.codePointAt(0) ?? 0};`);
