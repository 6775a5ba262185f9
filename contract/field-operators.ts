/** The filter operators of a field, by its type. */
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
export const operatorsOf = ({ type, conceal, hash }: Comparable): ReadonlySet<Operator> =>
  conceal === true || hash === true ? concealedOperators : operatorSets[type];

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
export const takesPaths = ({ type, conceal, hash }: Comparable): boolean =>
  type === 'json' && conceal !== true && hash !== true;
