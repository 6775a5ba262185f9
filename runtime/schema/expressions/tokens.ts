/** Splits the SQL of an expression into tokens, in the spellings of all databases. */
import { unescapeBackslashes } from '../../../contract/backslash-escapes.js';

export type Token =
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  /** A quoted name. `doubled`: in double quotes, which may also be around texts. */
  | { readonly kind: 'name'; readonly text: string; readonly doubled: boolean }
  /** A bare word, in lower case; `written` as it was. */
  | { readonly kind: 'word'; readonly text: string; readonly written: string }
  | { readonly kind: 'symbol'; readonly text: string };

/** Thrown for an expression outside of the grammar. */
export class UnsupportedExpression extends Error {}

const space = String.raw`\s+`;
const number = String.raw`(?<number>\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)`;
const text = String.raw`(?<prefix>_[a-z0-9]+|e|n)?\s*(?<text>'(?:[^'\\]|''|\\[\s\S])*')`;
const plainText = String.raw`(?<prefix>e|n)?(?<text>'(?:[^']|'')*')`;
const escapedText = String.raw`(?<prefix>e)(?<text>'(?:[^'\\]|''|\\[\s\S])*')`;
const quoted = '"(?:[^"]|"")*"|`(?:[^`]|``)*`';
const bracketed = String.raw`\[[^\]]+\]`;
const word = String.raw`(?<word>[a-z_][\w$]*)`;
const symbol = String.raw`(?<symbol>::|<=|>=|<>|!=|\|\||!~~|~~|[-+*/%()=<>,.[\]])`;

/** Spellings of texts and names in a database. */
export interface Lexicon {
  /** True where a backslash in a text escapes the next character. */
  readonly backslashes: boolean;
  /** True where a name may be in brackets, which are those of arrays elsewhere. */
  readonly brackets: boolean;
}

const lexemeOf = ({ backslashes, brackets }: Lexicon): RegExp => {
  const texts = backslashes ? text : `${escapedText.replaceAll('?<', '?<e_')}|${plainText}`;
  const names = `(?<name>${brackets ? `${quoted}|${bracketed}` : quoted})`;
  return new RegExp([space, number, texts, names, word, symbol].join('|'), 'iy');
};

/** Splits SQL into tokens. @throws UnsupportedExpression for a character outside of the grammar */
export const tokenize = (sql: string, lexicon: Lexicon): Token[] => {
  const pattern = lexemeOf(lexicon);
  const tokens: Token[] = [];
  while (pattern.lastIndex < sql.length) {
    const at = pattern.lastIndex;
    const match = pattern.exec(sql);
    if (match === null) throw new UnsupportedExpression(`unexpected character at ${at}`);
    const token = toToken(match.groups ?? {}, lexicon.backslashes);
    if (token !== null) tokens.push(token);
  }
  return tokens;
};

type Groups = Readonly<Record<string, string | undefined>>;

const toToken = (groups: Groups, backslashes: boolean): Token | null => {
  if (groups.number !== undefined) return { kind: 'number', text: groups.number };
  if (groups.e_text !== undefined) return { kind: 'text', text: unquote(groups.e_text, true) };
  if (groups.text !== undefined) return { kind: 'text', text: unquote(groups.text, backslashes) };
  if (groups.name !== undefined) return toName(groups.name);
  if (groups.word !== undefined)
    return { kind: 'word', text: groups.word.toLowerCase(), written: groups.word };
  return groups.symbol === undefined ? null : { kind: 'symbol', text: groups.symbol };
};

const toName = (name: string): Token => {
  const quote = name.charAt(0);
  const body = name.slice(1, -1);
  return {
    kind: 'name',
    text: quote === '[' ? body : body.replaceAll(quote + quote, quote),
    doubled: quote === '"',
  };
};

const unquote = (text: string, backslashes: boolean): string => {
  const body = text.slice(1, -1).replaceAll("''", "'");
  return backslashes ? unescapeBackslashes(body) : body;
};
