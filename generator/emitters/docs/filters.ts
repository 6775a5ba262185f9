/** Filter operators as clients write them. */
import { operatorsOf } from '../../../contract/field-types.js';
import type { Field } from '../../model/types.js';

/** `_eq`; of a concealed value one may only ask whether there is one. */
export const filtersOf = (field: Field): readonly string[] =>
  [...operatorsOf(field)].map((name) => `_${name}`);
