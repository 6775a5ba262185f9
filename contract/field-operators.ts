/** The filter operators of a field, by its type. */
import { isMasked } from './fields.js';
import { fieldTypes, type FieldType } from './field-types.js';
import { operatorsIn, type Operator } from './operators.js';

const operatorSets = Object.fromEntries(
  Object.entries(fieldTypes).map(([name, { operators }]) => [name, operatorsIn(operators)]),
) as Readonly<Record<FieldType, ReadonlySet<Operator>>>;

const concealedOperators = operatorsIn(['emptiness', 'nullness']);

/** Properties of a field that determine its comparison. */
interface Comparable {
  readonly type: FieldType;
  readonly conceal?: boolean;
  readonly hash?: boolean;
}

/** Returns the filter operators of a field. Masked values can only be tested for presence. */
export const operatorsOf = (field: Comparable): ReadonlySet<Operator> =>
  isMasked(field) ? concealedOperators : operatorSets[field.type];

/** Returns whether a value of the type may be an empty text: those of other types are empty only where they are null. */
export const hasEmptyText = ({ type }: Comparable): boolean => operatorSets[type].has('empty');

/** Operators of a value at a path of JSON, which may be of any type. */
export const pathOperators = operatorsIn([
  'equality',
  'membership',
  'nullness',
  'order',
  'matching',
  'emptiness',
]);

/** Returns whether a filter takes `_json`: conditions on the values in the field. */
export const takesPaths = (field: Comparable): boolean => field.type === 'json' && !isMasked(field);
