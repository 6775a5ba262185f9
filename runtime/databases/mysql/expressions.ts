/** The spelling of expressions in MySQL and MariaDB. */
import type { ExpressionSyntax } from '../../schema/expressions/syntax.js';
import type { ExpressionPrinter } from '../../schema/expressions/print.js';
import { quote, quoteText } from './quoting.js';

export const syntax: ExpressionSyntax = {
  backslashes: true,
  brackets: false,
  functions: new Map([
    ['length', 'octet_length'],
    ['concat', 'concat'],
    ['current_time', 'current_time'],
  ] as const),
};

const names: Readonly<Record<string, string>> = {
  now: 'current_timestamp',
  current_date: 'curdate',
  current_time: 'curtime',
};

export const expressions: ExpressionPrinter = {
  column: quote,
  text: quoteText,
  boolean: String,
  call: (name, operands) => `${names[name] ?? name}(${operands.join(', ')})`,
  concatenate: (operands) => `concat(${operands.join(', ')})`,
};
