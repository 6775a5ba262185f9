/** Defines the types that all schemas share: scalars, and filter operators by kind of field. */
import { operatorsOf } from '../../../contract/field-operators.js';
import { fieldTypes } from '../../../contract/field-types.js';
import { operators, type OperandKind, type Operator } from '../../../contract/operators.js';
import type { Field } from '../../model/types.js';
import type { Definition, FieldDefinition } from '../../print/graphql.js';
import { functionDefinitions } from './functions.js';

const scalar = (name: string, note: string): Definition => ({ kind: 'scalar', name, note, fields: [] });

const operandType = (operand: OperandKind, value: string): string => {
  switch (operand) {
    case 'flag':
      return 'Boolean';
    case 'list':
    case 'range':
      return `[${value}]`;
    case 'value':
    case 'text':
    case 'pattern':
      return value;
  }
};

const operatorsInput = (name: string, value: string, names: ReadonlySet<Operator>): Definition => ({
  kind: 'input',
  name: `${name}_filter_operators`,
  fields: [...names].map((operator): FieldDefinition => ({
    name: `_${operator}`,
    type: operandType(operators[operator].operand, value),
  })),
});

/** Adds `_json`, whose paths GraphQL cannot spell as fields. */
const withPaths = (input: Definition): Definition => ({
  ...input,
  fields: [
    ...input.fields,
    { name: '_json', type: 'JSON', note: 'Conditions by path: `{"theme.color": {"_eq": "red"}}`.' },
  ],
});

export const sharedDefinitions: readonly Definition[] = [
  operatorsInput('string', 'String', operatorsOf({ type: 'string' })),
  operatorsInput('id', 'ID', operatorsOf({ type: 'uuid' })),
  operatorsInput('number', 'GraphQLStringOrFloat', operatorsOf({ type: 'float' })),
  operatorsInput('big_int', 'BigInt', operatorsOf({ type: 'bigInteger' })),
  operatorsInput('date', 'String', operatorsOf({ type: 'date' })),
  operatorsInput('boolean', 'Boolean', operatorsOf({ type: 'boolean' })),
  withPaths(operatorsInput('json', 'JSON', operatorsOf({ type: 'json' }))),
  operatorsInput('null', 'JSON', operatorsOf({ type: 'unknown' })),
  operatorsInput('hash', 'Hash', operatorsOf({ type: 'string', hash: true })),
  ...functionDefinitions,
  { kind: 'enum', name: 'conflict_action', fields: [], values: ['ignore', 'update'] },
  { kind: 'type', name: 'delete_one', fields: [{ name: 'id', type: 'ID!' }] },
  { kind: 'type', name: 'delete_many', fields: [{ name: 'ids', type: '[ID]!' }] },
  scalar('BigInt', 'A 64-bit integer, as digits in a string.'),
  scalar(
    'Date',
    'A date `YYYY-MM-DD`, a date with time `YYYY-MM-DDTHH:MM:SS`, or an instant `YYYY-MM-DDTHH:MM:SSZ`.',
  ),
  scalar('Decimal', 'A decimal number, as digits in a string.'),
  scalar('GraphQLStringOrFloat', 'A number, or a string with a number or a variable.'),
  scalar('Hash', 'Stored as a hash; a value is returned as asterisks.'),
  scalar('JSON', 'Any JSON.'),
  scalar('Void', 'Nothing.'),
];

/** Returns the input type of a filter on the field's own value. */
export const comparisonOf = (field: Field): string =>
  `${field.conceal || field.hash ? 'hash' : fieldTypes[field.type].filter.graphql}_filter_operators`;

/** Returns the scalar of a field. `Int` is limited to 2^31-1. */
const plainType = ({ type, unsigned, bits }: Field): string =>
  type === 'integer' && unsigned && (bits ?? 32) >= 32 ? 'Float' : fieldTypes[type].graphql;

/** Returns the type of a field in results. Keys are `ID`, for all column types. */
export const outputType = (field: Field): string => {
  return field.primaryKey && !field.hash && !field.conceal ? 'ID' : valueType(field);
};

/** Returns the type of a value that does not stand for an item. */
export const valueType = (field: Field): string => {
  if (field.hash) return 'Hash';
  return field.conceal ? 'String' : plainType(field);
};

/** Returns the type of a field in inputs. `isReference`: the column contains the key of another item. */
export const inputType = (field: Field, isReference: boolean): string => {
  if (field.hash) return 'Hash';
  return field.primaryKey || isReference ? 'ID' : plainType(field);
};
