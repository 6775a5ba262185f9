/** Prints conditions of plans in one line. */
import type { ColumnRef, Condition, Join, Operand } from '../../../runtime/plan/types.js';

const namesOf = (path: readonly Join[]): readonly string[] => path.map(({ relation }) => relation.name);

/** A column by its path, an output of an aggregation by its index, and a part of a date by its zone. */
export const printColumn = ({ path, field, computed }: ColumnRef): string => {
  if (computed?.kind === 'output') return `output ${computed.index}`;
  const name = [...namesOf(path), field.name].join('.');
  return computed?.kind === 'part' ? `${name} in ${computed.zone ?? 'UTC'}` : name;
};

const printOperand = (operand: Operand): string => {
  if (operand.from === 'query') return `value ${operand.slot}`;
  return operand.from === 'rule' || operand.from === 'constant'
    ? JSON.stringify(operand.value)
    : operand.from;
};

export const printCondition = (condition: Condition): string => {
  switch (condition.kind) {
    case 'true':
    case 'false':
      return condition.kind;
    case 'and':
    case 'or':
      return `(${condition.conditions.map(printCondition).join(` ${condition.kind} `)})`;
    case 'not':
      return `not ${printCondition(condition.condition)}`;
    case 'compare':
      return `${printColumn(condition.column)} ${condition.operator} ${printOperand(condition.operand)}`;
    case 'null':
    case 'empty':
      return `${printColumn(condition.column)} is ${condition.kind}`;
    case 'at':
      return `at(${['row', ...namesOf(condition.path)].join('.')}: ${printCondition(condition.condition)})`;
    case 'some':
      return `some(${[...namesOf(condition.path), condition.relation.name].join('.')}: ${printCondition(condition.where)})`;
  }
};
