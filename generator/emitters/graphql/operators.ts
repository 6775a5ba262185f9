/** Types that every schema may use: scalars, and the operators of each kind of field. */
import { operandOf, operatorsOf, type Operator } from '../../../contract/operators.js';
import type { Field, FieldType } from '../../model/types.js';
import type { Definition, FieldDefinition } from '../../print/graphql.js';

const scalar = (name: string, note: string): Definition => ({ kind: 'scalar', name, note, fields: [] });

const operandTypes = (operand: string) => ({
  flag: 'Boolean',
  list: `[${operand}]`,
  range: `[${operand}]`,
  value: operand,
});

const operators = (name: string, operand: string, names: ReadonlySet<Operator>): Definition => ({
  kind: 'input',
  name: `${name}_filter_operators`,
  fields: [...names].map((operator): FieldDefinition => ({
    name: `_${operator}`,
    type: operandTypes(operand)[operandOf(operator)],
  })),
});

export const sharedDefinitions: readonly Definition[] = [
  operators('string', 'String', operatorsOf({ type: 'string' })),
  operators('id', 'ID', operatorsOf({ type: 'uuid' })),
  operators('number', 'GraphQLStringOrFloat', operatorsOf({ type: 'float' })),
  operators('big_int', 'BigInt', operatorsOf({ type: 'bigInteger' })),
  operators('date', 'String', operatorsOf({ type: 'date' })),
  operators('boolean', 'Boolean', operatorsOf({ type: 'boolean' })),
  operators('json', 'JSON', operatorsOf({ type: 'json' })),
  operators('hash', 'Hash', operatorsOf({ type: 'string', hash: true })),
  { kind: 'type', name: 'delete_one', fields: [{ name: 'id', type: 'ID!' }] },
  { kind: 'type', name: 'delete_many', fields: [{ name: 'ids', type: '[ID]!' }] },
  scalar('BigInt', 'A whole number of up to 64 bits, exact: digits in a string.'),
  scalar(
    'Date',
    'A date, `YYYY-MM-DD`, or a date with its time, `YYYY-MM-DDTHH:MM:SS`, with `Z` where it is an instant.',
  ),
  scalar('Decimal', 'An exact number: digits in a string.'),
  scalar('GraphQLStringOrFloat', 'A number, or a string that spells one or names a variable.'),
  scalar('Hash', 'Stored as a hash; shown as asterisks where there is a value.'),
  scalar('JSON', 'Any JSON.'),
  scalar('Void', 'Nothing.'),
];

const inputsByType: Readonly<Record<FieldType, string>> = {
  string: 'string',
  text: 'string',
  csv: 'string',
  uuid: 'id',
  binary: 'id',
  integer: 'number',
  float: 'number',
  decimal: 'number',
  bigInteger: 'big_int',
  date: 'date',
  time: 'date',
  dateTime: 'date',
  timestamp: 'date',
  boolean: 'boolean',
  json: 'json',
  unknown: 'json',
};

/** Input type of a filter on the field's own value. */
export const comparisonOf = (field: Field): string =>
  `${field.conceal || field.hash ? 'hash' : inputsByType[field.type]}_filter_operators`;

const valueTypes: Readonly<Record<FieldType, string>> = {
  string: 'String',
  text: 'String',
  csv: '[String]',
  uuid: 'ID',
  binary: 'String',
  integer: 'Int',
  float: 'Float',
  decimal: 'Decimal',
  bigInteger: 'BigInt',
  date: 'Date',
  time: 'String',
  dateTime: 'Date',
  timestamp: 'Date',
  boolean: 'Boolean',
  json: 'JSON',
  unknown: 'String',
};

/** `Int` ends at 2^31-1. */
const plainType = ({ type, unsigned, bits }: Field): string =>
  type === 'integer' && unsigned && (bits ?? 32) >= 32 ? 'Float' : valueTypes[type];

/** What is sent. Keys are `ID`, whatever their column. */
export const outputType = (field: Field): string => {
  if (field.hash) return 'Hash';
  if (field.conceal) return 'String';
  return field.primaryKey ? 'ID' : plainType(field);
};

/** What is taken. `isReference`: the column holds the key of another item. */
export const inputType = (field: Field, isReference: boolean): string => {
  if (field.hash) return 'Hash';
  return field.primaryKey || isReference ? 'ID' : plainType(field);
};
