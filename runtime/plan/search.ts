/** `search` as a condition over every readable column that can hold the text. */
import { fieldTypes } from '../../contract/field-types.js';
import { planColumn } from './filter.js';
import { mayUse, type Scope } from './scope.js';
import { anyOf, type Condition, type Operand } from './types.js';

/**
 * Texts contain it, in any case; numbers and uuids equal it where it can be one
 * (a text that no number equals leaves those columns out when the value is bound).
 */
export const planSearch = (scope: Scope, operand: Operand): Condition => {
  const conditions: Condition[] = [];
  for (const field of scope.collection.fields.values()) {
    if (!mayUse(scope, field.name) || field.conceal === true || field.hash === true) continue;
    const column = planColumn(field.name, { scope, path: [] });
    const { search: operator } = fieldTypes[field.type];
    if (operator !== null) conditions.push({ kind: 'compare', column, operator, operand });
  }
  return anyOf(conditions);
};
