/**
 * Characters that are invisible or end a line: control, format (bidi, zero width), separators, lone
 * surrogates.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Replaces every invisible character by `\uXXXX`. */
export const visible = (text: string): string => text.replace(hidden, escapeCharacter);

/** Returns text on one line: collapses white space and makes other invisible characters visible. */
export const oneLine = (text: string): string => visible(text.replace(/\s+/gu, ' ').trim());

/** Wraps the lines of a comment at `width`; preserves existing line breaks. */
export const wrap = (text: string, width: number): string[] =>
  text
    .trim()
    .split(/\r\n|[\n\r\u2028\u2029]/u)
    .flatMap((line) => wrapLine(oneLine(line), width));

const wrapLine = (line: string, width: number): string[] => {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else {
      current = current === '' ? word : `${current} ${word}`;
    }
  }
  return [...lines, current];
};

const escapeCharacter = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
};
