/** Prints a tree as SQL: text of snapshots, or of a database with its own words. */
import type { Expression, FunctionName, Operator } from './tree.js';

/** The spelling of expressions in one database. */
export interface ExpressionPrinter {
  column(name: string): string;
  text(value: string): string;
  boolean(value: boolean): string;
  /** Returns the SQL of a function, or null where the database has none. */
  call(name: FunctionName, operands: readonly string[]): string | null;
  concatenate(operands: readonly string[]): string;
}

/** Thrown for a function that a database does not have. */
export class MissingFunction extends Error {
  readonly functionName: FunctionName;

  constructor(name: FunctionName) {
    super(`this database has no function for ${name}()`);
    this.functionName = name;
  }
}

/** Prints an expression as SQL of a database. @throws MissingFunction */
export const printExpression = (expression: Expression, printer: ExpressionPrinter): string => {
  const print = (operand: Expression): string => printExpression(operand, printer);
  switch (expression.kind) {
    case 'number':
      return expression.text;
    case 'text':
      return printer.text(expression.text);
    case 'boolean':
      return printer.boolean(expression.value);
    case 'null':
      return 'null';
    case 'column':
      return printer.column(expression.name);
    case 'call':
      return printCall(expression, print, printer);
    case 'in': {
      const [left = '', ...values] = expression.operands.map(print);
      return `(${left} in (${values.join(', ')}))`;
    }
    case 'case':
      return printCase(expression, print);
    case 'operator':
      return printOperator(expression.operator, expression.operands.map(print), printer);
  }
};

const printCall = (
  { name, operands }: Extract<Expression, { kind: 'call' }>,
  print: (operand: Expression) => string,
  printer: ExpressionPrinter,
): string => {
  const sql = printer.call(name, operands.map(print));
  if (sql === null) throw new MissingFunction(name);
  return sql;
};

const printCase = (
  { operands, hasElse }: Extract<Expression, { kind: 'case' }>,
  print: (operand: Expression) => string,
): string => {
  const texts = operands.map(print);
  const otherwise = hasElse ? texts.pop() : undefined;
  const branches = texts.flatMap((text, at) =>
    at % 2 === 0 ? [`when ${text} then ${texts[at + 1] ?? ''}`] : [],
  );
  return `case ${branches.join(' ')}${otherwise === undefined ? '' : ` else ${otherwise}`} end`;
};

const printOperator = (
  operator: Operator,
  operands: readonly string[],
  printer: ExpressionPrinter,
): string => {
  const [first = ''] = operands;
  if (operator === 'not') return `(not ${first})`;
  if (operator === 'is null') return `(${first} is null)`;
  if (operator === '||') return printer.concatenate(operands);
  return operands.length === 1 ? `(${operator} ${first})` : `(${operands.join(` ${operator} `)})`;
};

/** Prints the text of snapshots: standard SQL that `parseExpression` reads back as the same tree. */
export const neutralPrinter: ExpressionPrinter = {
  column: (name) => `"${name.replaceAll('"', '""')}"`,
  text: (value) => `'${value.replaceAll("'", "''")}'`,
  boolean: String,
  call: (name, operands) => `${name}(${operands.join(', ')})`,
  concatenate: (operands) => `(${operands.join(' || ')})`,
};

/** Prints an expression for a snapshot, without its outer parentheses. */
export const printNeutral = (expression: Expression): string => {
  const text = printExpression(expression, neutralPrinter);
  return text.startsWith('(') && text.endsWith(')') ? text.slice(1, -1) : text;
};
