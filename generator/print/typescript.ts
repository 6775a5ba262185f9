/** Prints TypeScript. Names, texts and comments reach generated code only through this module. */
import CodeBlockWriter from 'code-block-writer';
import { oneLine, visible, wrap } from './text.js';

export { CodeBlockWriter };

/** Same value as in the project's formatter settings. */
export const lineWidth = 110;

const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const shortEscapes = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** Creates a writer with the indentation and quotes of the formatter. */
export const createWriter = (): CodeBlockWriter =>
  new CodeBlockWriter({ indentNumberOfSpaces: 2, newLine: '\n', useSingleQuote: true });

/** Prints a string literal with the quotes that need fewer escapes, preferring single quotes. */
export const str = (value: string): string => {
  const quote = count(value, "'") > count(value, '"') ? '"' : "'";
  const escaped = value.replace(/[\\\n\r\t]/gu, (character) => shortEscapes.get(character) ?? character);
  return quote + visible(escaped.replaceAll(quote, `\\${quote}`)) + quote;
};

/** Prints a property name in a type, unquoted where possible. */
export const typeKey = (name: string): string => (identifier.test(name) ? name : str(name));

/** Prints a property name in an object literal, where a plain `__proto__` would set the prototype. */
export const objectKey = (name: string): string => (name === '__proto__' ? `['__proto__']` : typeKey(name));

/** Prints the JSDoc comment of a declaration that is indented by `indent` columns. */
export const docComment = (text: string, indent = 0): string => {
  const lines = wrap(text, lineWidth - indent - 7).map(harmless);
  return lines.length === 1 ? `/** ${lines[0]} */` : `/**\n${lines.map(commentLine).join('\n')}\n */`;
};

/** Prints `// …` on one line, whatever the text contains. */
export const lineComment = (text: string): string => `// ${harmless(oneLine(text))}`;

const commentLine = (line: string): string => (line === '' ? ' *' : ` * ${line}`);

/** Escapes text that could end a comment or act as a compiler directive. */
const harmless = (text: string): string => text.replaceAll('*/', '*\\/').replaceAll('@ts-', '@ ts-');

const count = (text: string, character: string): number => text.split(character).length - 1;
