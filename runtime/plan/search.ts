/** Plans `search` as a condition over every readable column that can contain the text. */
import { fieldTypes } from '../../contract/field-types.js';
import { isMasked } from '../../contract/fields.js';
import { planColumn } from './filter.js';
import { isNamePermitted, type Scope } from './scope.js';
import { anyOf, type Condition, type Operand } from './types.js';

/**
 * Text columns contain the search text, ignoring case; numbers and uuids equal it. Columns for which the text
 * is not a valid value are left out when it is bound.
 */
export const planSearch = (scope: Scope, operand: Operand): Condition => {
  const conditions: Condition[] = [];
  for (const field of scope.collection.fields.values()) {
    if (!isNamePermitted(scope, field.name) || isMasked(field)) continue;
    const column = planColumn(field.name, { scope, path: [] });
    const { search: operator } = fieldTypes[field.type];
    if (operator !== null) conditions.push({ kind: 'compare', column, operator, operand });
  }
  return anyOf(conditions);
};
