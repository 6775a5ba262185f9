/** Filter operators as clients write them. */
import { operatorsOf, takesPaths } from '../../../contract/field-operators.js';
import type { Field } from '../../model/types.js';

/** Returns operators such as `_eq`. A concealed field can only be tested for null. */
export const filtersOf = (field: Field): readonly string[] => [
  ...[...operatorsOf(field)].map((name) => `_${name}`),
  ...(takesPaths(field) ? ['_json'] : []),
];
