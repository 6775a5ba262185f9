/** The border between data and TypeScript: names, texts and comments reach generated code only through here. */
import CodeBlockWriter from 'code-block-writer';
import { oneLine, visible, wrap } from './text.js';

export { CodeBlockWriter };

/** As in the formatter's settings of this project. */
export const lineWidth = 110;

const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const shortEscapes = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

export const createWriter = (): CodeBlockWriter =>
  new CodeBlockWriter({ indentNumberOfSpaces: 2, newLine: '\n', useSingleQuote: true });

/** A string literal, in the quotes that need fewer escapes; single ones when equal. */
export const str = (value: string): string => {
  const quote = count(value, "'") > count(value, '"') ? '"' : "'";
  const escaped = value.replace(/[\\\n\r\t]/gu, (character) => shortEscapes.get(character) ?? character);
  return quote + visible(escaped.replaceAll(quote, `\\${quote}`)) + quote;
};

/** A property name in a type: bare where the language allows it. */
export const typeKey = (name: string): string => (identifier.test(name) ? name : str(name));

/** A property name in an object literal, where a plain `__proto__` would set the prototype. */
export const objectKey = (name: string): string => (name === '__proto__' ? `['__proto__']` : typeKey(name));

/** The JSDoc comment of a declaration that stands `indent` columns in. */
export const docComment = (text: string, indent = 0): string => {
  const lines = wrap(text, lineWidth - indent - 7).map(harmless);
  return lines.length === 1 ? `/** ${lines[0]} */` : `/**\n${lines.map(commentLine).join('\n')}\n */`;
};

export const lineComment = (text: string): string => `// ${harmless(oneLine(text))}`;

const commentLine = (line: string): string => (line === '' ? ' *' : ` * ${line}`);

/** Text that can neither end a comment nor speak to the compiler. */
const harmless = (text: string): string => text.replaceAll('*/', '*\\/').replaceAll('@ts-', '@ ts-');

const count = (text: string, character: string): number => text.split(character).length - 1;
