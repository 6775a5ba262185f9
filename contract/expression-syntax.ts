/** Translates regular expressions from ECMAScript (with the flag `u`) to RE2. */

/** Syntax that RE2 lacks; the message names it, such as `look-ahead "(?="`. */
export class UnsupportedSyntax extends Error {}

/** Escapes of code points, which RE2 writes in another way, and any other escape. */
const escapes = String.raw`\\u\{[0-9a-fA-F]+\}|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\c[a-zA-Z]|\\[pP]\{[^}]*\}|\\[^]?`;

/** Parts outside of a class that differ; the rest is the same in both languages. */
const parts = new RegExp(
  [
    escapes,
    String.raw`\[(?:\\[^]|[^\]\\])*\]`,
    String.raw`\(\?(?:<[=!]|[=!:<]|-?i[:)]|[^])`,
    String.raw`\{(?!\d+(?:,\d*)?\})`,
    String.raw`\.`,
  ].join('|'),
  'gu',
);

const classParts = new RegExp(`${escapes}|\\[`, 'gu');

/** Returns the same expression in RE2's syntax. @throws UnsupportedSyntax */
export const translateExpression = (source: string): string => source.replace(parts, translatePart);

const translatePart = (part: string): string => {
  if (part === '.') return String.raw`[^\n\r\x{2028}\x{2029}]`;
  if (part === '{') return String.raw`\{`;
  if (part.startsWith('(?')) return translateGroup(part);
  if (part.startsWith('[')) return translateClass(part.slice(1, -1));
  return translateEscape(part, outsideClass);
};

const translateGroup = (opening: string): string => {
  if (opening === '(?=' || opening === '(?!') throw new UnsupportedSyntax(`look-ahead "${opening}"`);
  if (opening === '(?<=' || opening === '(?<!') throw new UnsupportedSyntax(`look-behind "${opening}"`);
  if (/^\(\?(?:[:<]|-?i[:)])$/.test(opening)) return opening;
  throw new UnsupportedSyntax(`the group "${opening}"`);
};

const everything = String.raw`\x00-\x{10ffff}`;

const translateClass = (content: string): string => {
  if (content === '') return `[^${everything}]`;
  if (content === '^') return `[${everything}]`;
  return `[${content.replace(classParts, (part) => (part === '[' ? String.raw`\[` : translateEscape(part, insideClass)))}]`;
};

/** The white space of ECMAScript, and everything else, as ranges of a class. */
const space = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const noSpace = String.raw`\x00-\x08\x0e-\x1f!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;

type Escapes = Readonly<Record<string, string>>;

const insideClass: Escapes = { s: space, S: noSpace, b: String.raw`\x08` };
const outsideClass: Escapes = { s: `[${space}]`, S: `[${noSpace}]`, b: String.raw`\b`, B: String.raw`\B` };

/** Escapes that are the same in both languages. */
const common = /^[dDwWfnrtv]$/;

const translateEscape = (escape: string, special: Escapes): string => {
  const name = escape[1] ?? '';
  const point = pointOf(escape);
  if (point !== null) return toPoint(point);
  if (/^\\[pP]\{/.test(escape)) return escape.replace(/\{(?:Script|sc|General_Category|gc)=/, '{');
  const known = special[name];
  if (known !== undefined) return known;
  if (common.test(name)) return escape;
  if (/^[1-9k]$/.test(name)) throw new UnsupportedSyntax(`the back-reference "${escape}"`);
  if (/^[a-zA-Z]?$/.test(name)) throw new UnsupportedSyntax(`the escape "${escape}"`);
  return toPoint(escape.codePointAt(1) ?? 0);
};

const toPoint = (point: number): string => `\\x{${point.toString(16)}}`;

/** Returns the code point of an escape that names one, or null. */
const pointOf = (escape: string): number | null => {
  if (escape === String.raw`\0`) return 0;
  if (/^\\c./.test(escape)) return (escape.codePointAt(2) ?? 0) % 32;
  const units = Array.from(escape.matchAll(/\\[ux]\{?([0-9a-fA-F]+)/g), ([, hex = '']) => parseInt(hex, 16));
  const [first, second] = units;
  if (first === undefined) return null;
  return second === undefined ? first : (String.fromCharCode(first, second).codePointAt(0) ?? 0);
};
