/** Words of expressions in every spelling: functions, operators and types, and what is known of their operands. */
import { UnsupportedExpression } from './tokens.js';
import {
  functionNames,
  type ColumnKinds,
  type Expression,
  type FunctionName,
  type Operator,
} from './tree.js';

export const aliases: ReadonlyMap<string, FunctionName | '%'> = new Map<string, FunctionName | '%'>([
  ...functionNames.map((name) => [name, name] as const),
  ['current_timestamp', 'now'],
  ['localtimestamp', 'now'],
  ['localtime', 'now'],
  ['curdate', 'current_date'],
  ['curtime', 'current_time'],
  ['gen_random_uuid', 'uuid'],
  ['lcase', 'lower'],
  ['ucase', 'upper'],
  ['btrim', 'trim'],
  ['character_length', 'char_length'],
  ['ifnull', 'coalesce'],
  ['mod', '%'],
]);

/** Words that call a function without parentheses. */
export const bareCalls: ReadonlySet<string> = new Set([
  'current_timestamp',
  'current_date',
  'current_time',
  'localtimestamp',
]);

export const comparisons: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['=', '='],
  ['<>', '<>'],
  ['!=', '<>'],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
]);

/** Types of casts that do not change a text or a number that already is one. */
export const textTypes = /^(?:text|character varying|varchar|character|bpchar|char|"char")$/;
export const numberTypes =
  /^(?:numeric|decimal|integer|int|bigint|smallint|double precision|real|signed|unsigned)$/;
/** Types whose literals are not what their text says. */
export const computedTypes = /^(?:interval|reg[a-z]+)$/;
export const typeWords: ReadonlySet<string> = new Set([
  'varying',
  'precision',
  'without',
  'with',
  'time',
  'zone',
]);

/** Least and greatest number of operands. */
const operandCounts: Readonly<Partial<Record<FunctionName, readonly [number, number]>>> = {
  now: [0, 1],
  current_date: [0, 0],
  current_time: [0, 1],
  uuid: [0, 0],
  round: [1, 2],
  coalesce: [2, 100],
  nullif: [2, 2],
  greatest: [2, 100],
  least: [2, 100],
};

/** Checks the number of operands of a function. @throws UnsupportedExpression */
export const checkOperands = (name: FunctionName, operands: readonly Expression[]): void => {
  const [least, most] = operandCounts[name] ?? [1, 1];
  if (operands.length < least || operands.length > most) {
    throw new UnsupportedExpression(`${name} with ${operands.length} operands`);
  }
};

/** Returns whether an expression is certainly text; false where its type is not known. */
export const isText = (expression: Expression, columns: ColumnKinds): boolean => {
  if (expression.kind === 'text') return true;
  if (expression.kind === 'column') return columns.get(expression.name) === 'text';
  if (expression.kind === 'operator') return expression.operator === '||';
  if (expression.kind !== 'call') return false;
  if (['lower', 'upper', 'trim'].includes(expression.name)) return true;
  return expression.name === 'coalesce' && expression.operands.every((operand) => isText(operand, columns));
};

/** Finds a column by name; a bare word means it in any case. */
export const findColumn = (name: string, columns: ColumnKinds, isBare: boolean): string | null => {
  if (columns.has(name)) return name;
  const folded = name.toLowerCase();
  const found = [...columns.keys()].filter((column) => column.toLowerCase() === folded);
  return found.length === 1 && (isBare || folded !== name) ? (found[0] ?? null) : null;
};
