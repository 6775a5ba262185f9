/** Prints Markdown. Notes and names reach pages only through this module. */
import { oneLine, visible } from './text.js';

/**
 * Escapes text inside a line. Pairs of backticks are the only markup, in tables too.
 */
export const text = (value: string): string =>
  oneLine(value)
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 1 ? code(part) : escape(part)))
    .join('');

/** Escapes markup, but not an underscore inside a word. */
const escape = (value: string): string =>
  value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/[\\`*[\]|~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&');

/** Escapes text at the start of a line, where lists, headings and quotes are markup too. */
export const paragraph = (value: string): string =>
  text(value)
    .replace(/^[-+#>=]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2');

/** Prints inline code. Characters that a code span cannot hold are written in HTML. */
export const code = (value: string): string => {
  const shown = visible(value);
  return shown === '' || /[`|\\]|^\s|\s$/.test(shown) ? `<code>${toEntities(shown)}</code>` : `\`${shown}\``;
};

/** Prints a link. The label is escaped as text, the target as a URL. */
export const link = (label: string, target: string): string => `[${text(label)}](${encodeURI(target)})`;

/** Prints a table whose cells are already Markdown, without the columns that are empty in every row. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const isShown = (_cell: string, column: number): boolean =>
    rows.length === 0 || rows.some((cells) => cells[column] !== '');
  const shown = head.filter(isShown);
  return [shown, shown.map(() => '---'), ...rows.map((cells) => cells.filter(isShown))]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
};

/** Joins the parts of a page with blank lines. */
export const page = (parts: readonly string[]): string => `${parts.join('\n\n')}\n`;

/** Prints a fenced block with a fence longer than any inside it. */
export const codeBlock = (language: string, content: string): string => {
  const longest = Math.max(2, ...Array.from(content.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${content}\n${fence}`;
};

const toEntities = (value: string): string =>
  value.replace(/[^\p{L}\p{N} ]/gu, (character) => `&#${character.codePointAt(0) ?? 0};`);
