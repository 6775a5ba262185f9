/** The spelling of expressions in PostgreSQL. */
import type { ExpressionSyntax } from '../../schema/expressions/syntax.js';
import type { ExpressionPrinter } from '../../schema/expressions/print.js';
import { quote, quoteText } from './quoting.js';

export const syntax: ExpressionSyntax = {
  backslashes: false,
  brackets: false,
  functions: new Map([
    ['length', 'char_length'],
    // the time of the statement, not of the transaction
    ['clock_timestamp', 'unsupported'],
    ['concat', 'unsupported'],
    ['json_valid', 'unsupported'],
  ] as const),
};

const names: Readonly<Record<string, string | null>> = {
  uuid: 'gen_random_uuid',
  char_length: 'length',
  json_valid: null,
};

/** Functions without parentheses. */
const bare: ReadonlySet<string> = new Set(['current_date', 'current_time']);

export const expressions: ExpressionPrinter = {
  column: quote,
  text: quoteText,
  boolean: String,
  call(name, operands) {
    if (bare.has(name)) return name;
    const known = names[name];
    return known === null ? null : `${known ?? name}(${operands.join(', ')})`;
  },
  concatenate: (operands) => `(${operands.join(' || ')})`,
};
