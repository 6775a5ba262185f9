/** Parses filters in `validation`: the grammar is checked here, the field names by the model. */
import { operatorNames, operators, type OperandKind } from '../../contract/operators.js';
import { expression } from './expressions.js';
import { faultAt, listWords, suggest } from './faults.js';
import { anything, entriesOf, flag, listOf, plainValue, text, type Read } from './read.js';
import type { Position, SpecFault } from './types.js';
import { nodeToData, type Node } from './yaml.js';

type Check = (node: Node, faults: SpecFault[]) => unknown;

const bounds: Check = (node, faults) => {
  const count = listOf(plainValue)(node, faults).length;
  if (node.kind !== 'list' || count === 2) return;
  faults.push(faultAt(node.position, `expected two bounds, found ${count}`, 'write [lowest, highest]'));
};

const checks: Readonly<Record<OperandKind, Check>> = {
  value: plainValue,
  text,
  list: listOf(plainValue),
  range: bounds,
  flag,
  pattern: expression,
};

const operands: ReadonlyMap<string, Check> = new Map(
  operatorNames.map((name) => {
    const { operand, nullable } = operators[name];
    return [`_${name}`, nullable === true ? anything : checks[operand]];
  }),
);

/** Operators that compare a field with a value. */
export const filterOperators: readonly string[] = [...operands.keys()];

/** Reads a filter object without resolving its field names. */
export const filter: Read<Readonly<Record<string, unknown>>> = (node, faults) => {
  checkFilter(node, { faults, insideField: false });
  return node.kind === 'map' ? (nodeToData(node) as Record<string, unknown>) : {};
};

interface Context {
  readonly faults: SpecFault[];
  readonly insideField: boolean;
}

const checkFilter = (node: Node, context: Context): void => {
  for (const [key, { position, value }] of entriesOf(node, context.faults)) {
    if (key === '_and' || key === '_or') {
      listOf((item) => checkFilter(item, context))(value, context.faults);
      continue;
    }
    const operand = operands.get(key);
    if (operand !== undefined && !context.insideField) {
      const remedy = `write { field: { ${key}: … } }`;
      context.faults.push(faultAt(position, `"${key}" stands without a field`, remedy));
    }
    if (operand !== undefined) operand(value, context.faults);
    else if (key === '_some' || key === '_none') checkFilter(value, context);
    else if (value.kind === 'map') checkFilter(value, { ...context, insideField: true });
    else if (key.startsWith('_')) context.faults.push(unknownOperator(key, position));
    else plainValue(value, context.faults);
  }
};

const unknownOperator = (key: string, position: Position): SpecFault =>
  faultAt(
    position,
    `unknown operator "${key}"`,
    suggest(key, [...filterOperators, '_and', '_or'], `operators are ${listWords(filterOperators)}`),
  );
