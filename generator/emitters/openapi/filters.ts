/** Filters: the operators of each field type, once; and the filter of each collection, made of them. */
import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas31';
import type { Collection, Field, FieldType, Relation } from '../../model/types.js';
import type { Context } from './context.js';
import { marks } from './marks.js';
import { ref } from './refs.js';

type Value = 'string' | 'integer' | 'number' | 'boolean';

const nullness = ['null', 'nnull'];
const emptiness = ['empty', 'nempty', ...nullness];
const equality = ['eq', 'neq', 'in', 'nin', ...nullness];
const order = ['lt', 'lte', 'gt', 'gte', 'between', 'nbetween'];
const matching = ['contains', 'starts_with', 'ends_with'].flatMap((name) => [
  name,
  `n${name}`,
  `i${name}`,
  `ni${name}`,
]);

const flags = new Set(emptiness);
const lists = new Set(['in', 'nin']);
const ranges = new Set(['between', 'nbetween']);

/** A value of the field, or text: a variable such as `$NOW`, or the value as a query string spells it. */
const oneOf = (value: Value | null): SchemaObject =>
  value === null || value === 'string' ? { type: 'string' } : { type: [value, 'string'] };

const operandSchema = (operator: string, value: Value | null): SchemaObject => {
  if (flags.has(operator)) return { type: 'boolean' };
  if (lists.has(operator)) return { type: ['array', 'string'], items: oneOf(value), minItems: 1 };
  if (ranges.has(operator))
    return { type: ['array', 'string'], items: oneOf(value), minItems: 2, maxItems: 2 };
  const schema = oneOf(value);
  return operator === 'eq' || operator === 'neq' ? { type: [schema.type, 'null'].flat() as never } : schema;
};

/** `value` is what a bare value, short for `_eq`, may be; `null` where there is no equality. */
const operators = (names: readonly string[], value: Value | null): SchemaObject => ({
  type: value === null ? 'object' : (['object', ...[oneOf(value).type].flat(), 'null'] as never),
  properties: Object.fromEntries(names.map((name) => [`_${name}`, operandSchema(name, value)])),
  additionalProperties: false,
});

const ordered = [...equality, ...order];

/** Shared by every collection. */
export const operatorSchemas: Readonly<Record<string, SchemaObject>> = {
  StringOperators: operators([...ordered, ...matching, 'empty', 'nempty'], 'string'),
  ListOperators: operators([...equality, ...matching, 'empty', 'nempty'], 'string'),
  KeyOperators: operators(equality, 'string'),
  IntegerOperators: operators(ordered, 'integer'),
  NumberOperators: operators(ordered, 'number'),
  DateOperators: operators(ordered, 'string'),
  BooleanOperators: operators(['eq', 'neq', ...nullness], 'boolean'),
  NullOperators: operators(nullness, null),
  ConcealedOperators: operators(emptiness, null),
};

const operatorsByType: Readonly<Record<FieldType, string>> = {
  string: 'StringOperators',
  text: 'StringOperators',
  unknown: 'StringOperators',
  csv: 'ListOperators',
  uuid: 'KeyOperators',
  binary: 'KeyOperators',
  integer: 'IntegerOperators',
  bigInteger: 'IntegerOperators',
  float: 'NumberOperators',
  decimal: 'NumberOperators',
  date: 'DateOperators',
  time: 'DateOperators',
  dateTime: 'DateOperators',
  timestamp: 'DateOperators',
  boolean: 'BooleanOperators',
  json: 'NullOperators',
};

const operatorsOf = (field: Field): ReferenceObject =>
  ref('schemas', field.conceal || field.hash ? 'ConcealedOperators' : operatorsByType[field.type]);

/** Field operators, nested filters of related collections, `_and` and `_or`. */
export const filterSchema = (collection: Collection, context: Context): SchemaObject => {
  const self = ref('schemas', `${context.stemOf(collection)}Filter`);
  const fields = collection.fields.map((field) => [field.name, operatorsOf(field)] as const);
  const relations = collection.relations.flatMap((relation) => {
    const schema = relationFilter(relation, collection, context);
    return schema === null ? [] : [[relation.name, schema] as const];
  });
  return {
    'x-svc-keep': ['_and', '_or'],
    type: 'object',
    properties: {
      ...Object.fromEntries<SchemaObject | ReferenceObject>([...fields, ...relations]),
      _and: { type: 'array', items: self },
      _or: { type: 'array', items: self },
    },
    additionalProperties: false,
  };
};

const relationFilter = (
  relation: Relation,
  collection: Collection,
  context: Context,
): SchemaObject | ReferenceObject | null => {
  const target = relation.kind === 'manyToAny' ? undefined : context.collection(relation.target);
  if (target === undefined) return null;
  const nested = ref('schemas', `${context.stemOf(target)}Filter`);
  if (relation.kind === 'oneToMany') return { ...marks(target, 'read'), anyOf: [nested, quantified(nested)] };
  const column = collection.fields.find((field) => field.name === relation.name);
  return column === undefined ? nested : { anyOf: [operatorsOf(column), nested] };
};

const quantified = (nested: ReferenceObject): SchemaObject => ({
  type: 'object',
  properties: { _some: nested, _none: nested, _null: { type: 'boolean' }, _nnull: { type: 'boolean' } },
  additionalProperties: false,
});
