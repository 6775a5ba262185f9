/** The spelling of expressions in SQLite. */
import type { ExpressionSyntax } from '../../schema/expressions/syntax.js';
import type { ExpressionPrinter } from '../../schema/expressions/print.js';
import { quote, quoteText } from './quoting.js';

export const syntax: ExpressionSyntax = {
  backslashes: false,
  brackets: true,
  functions: new Map([
    ['length', 'char_length'],
    ['max', 'greatest'],
    ['min', 'least'],
    ['concat', 'unsupported'],
  ] as const),
};

const names: Readonly<Record<string, string | null>> = {
  char_length: 'length',
  greatest: 'max',
  least: 'min',
  uuid: null,
};

/** Functions without parentheses. */
const bare: Readonly<Record<string, string>> = {
  now: 'current_timestamp',
  current_date: 'current_date',
  current_time: 'current_time',
};

export const expressions: ExpressionPrinter = {
  column: quote,
  text: quoteText,
  boolean: (value) => (value ? '1' : '0'),
  call(name, operands) {
    const word = bare[name];
    if (word !== undefined) return word;
    const known = names[name];
    return known === null ? null : `${known ?? name}(${operands.join(', ')})`;
  },
  concatenate: (operands) => `(${operands.join(' || ')})`,
};
