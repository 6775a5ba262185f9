/**
 * Expressions of defaults, checks, generated columns and indexes as trees: equal trees mean the same on every
 * database, however each of them prints the expression.
 */

export type Expression =
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }
  | { readonly kind: 'column'; readonly name: string }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly operands: readonly Expression[] }
  | { readonly kind: 'operator'; readonly operator: Operator; readonly operands: readonly Expression[] }
  | { readonly kind: 'in'; readonly operands: readonly Expression[] }
  | { readonly kind: 'case'; readonly operands: readonly Expression[]; readonly hasElse: boolean };

/** `-` with one operand negates; `and`, `or` and `||` have two or more. */
export type Operator =
  | 'or'
  | 'and'
  | 'not'
  | 'is null'
  | '='
  | '<>'
  | '<'
  | '<='
  | '>'
  | '>='
  | 'like'
  | '||'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%';

export const functionNames = [
  'now',
  'current_date',
  'current_time',
  'uuid',
  'lower',
  'upper',
  'trim',
  'char_length',
  'octet_length',
  'abs',
  'round',
  'coalesce',
  'nullif',
  'greatest',
  'least',
  'json_valid',
] as const;

export type FunctionName = (typeof functionNames)[number];

/** The kind of a column's type, which decides about casts of it. */
export type ColumnKind = 'text' | 'number' | 'smallint' | 'boolean' | 'other';

/** Columns that an expression may name. */
export type ColumnKinds = ReadonlyMap<string, ColumnKind>;

const operandsOf = (expression: Expression): readonly Expression[] =>
  'operands' in expression ? expression.operands : [];

/** Returns the columns that an expression names. */
export const columnsIn = (expression: Expression): readonly string[] =>
  expression.kind === 'column' ? [expression.name] : operandsOf(expression).flatMap(columnsIn);

/** Returns the expression with columns renamed. */
export const renameColumns = (expression: Expression, names: ReadonlyMap<string, string>): Expression => {
  if (expression.kind === 'column') {
    return { ...expression, name: names.get(expression.name) ?? expression.name };
  }
  if (!('operands' in expression)) return expression;
  return { ...expression, operands: expression.operands.map((operand) => renameColumns(operand, names)) };
};

/** Counts all nodes of a tree, which bounds the work on it. */
export const nodeCount = (expression: Expression): number =>
  operandsOf(expression).reduce((sum, operand) => sum + nodeCount(operand), 1);

/** Returns the number of levels of a tree, 1 for a leaf. */
export const depthOf = (expression: Expression): number =>
  1 + Math.max(0, ...operandsOf(expression).map(depthOf));
