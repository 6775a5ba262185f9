/** Describes filters: the operators of each field type, and the filter of each collection. */
import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas31';
import { operatorsOf, pathOperators } from '../../../contract/field-operators.js';
import { fieldTypes } from '../../../contract/field-types.js';
import { numberFunctions } from '../../../contract/functions.js';
import { operators, type Operator } from '../../../contract/operators.js';
import type { Collection, Field, Relation } from '../../model/types.js';
import type { Context } from './context.js';
import { accessExtensions } from './extensions.js';
import { ref } from './refs.js';

type Value = 'string' | 'integer' | 'number' | 'boolean' | 'any';

/**
 * Returns the schema of a value or text: a variable such as `$NOW`, or the value as a query string spells it.
 */
const oneOf = (value: Value | null): SchemaObject =>
  value === null || value === 'string'
    ? { type: 'string' }
    : { type: value === 'any' ? ['string', 'number', 'boolean'] : [value, 'string'] };

const operandSchema = (operator: Operator, value: Value | null): SchemaObject => {
  const { operand, nullable } = operators[operator];
  switch (operand) {
    case 'flag':
      return { type: 'boolean' };
    case 'list':
      return { type: ['array', 'string'], items: oneOf(value), minItems: 1 };
    case 'range':
      return { type: ['array', 'string'], items: oneOf(value), minItems: 2, maxItems: 2 };
    case 'value':
    case 'text':
    case 'pattern': {
      const schema = oneOf(value);
      return nullable === true ? { type: [schema.type, 'null'].flat() as never } : schema;
    }
  }
};

/**
 * Returns the schema of a field's operators. `value` is the type of a bare value, which means `_eq`; `null`
 * where there is no equality.
 */
const operatorsSchema = (names: ReadonlySet<Operator>, value: Value | null): SchemaObject => ({
  type: value === null ? 'object' : (['object', ...[oneOf(value).type].flat(), 'null'] as never),
  properties: Object.fromEntries([...names].map((name) => [`_${name}`, operandSchema(name, value)])),
  additionalProperties: false,
});

const nullOperators = operatorsSchema(operatorsOf({ type: 'json' }), null);

/** Operator schemas that all collections share. */
export const operatorSchemas: Readonly<Record<string, SchemaObject>> = {
  StringOperators: operatorsSchema(operatorsOf({ type: 'string' }), 'string'),
  KeyOperators: operatorsSchema(operatorsOf({ type: 'uuid' }), 'string'),
  IntegerOperators: operatorsSchema(operatorsOf({ type: 'integer' }), 'integer'),
  NumberOperators: operatorsSchema(operatorsOf({ type: 'float' }), 'number'),
  DateOperators: operatorsSchema(operatorsOf({ type: 'date' }), 'string'),
  BooleanOperators: operatorsSchema(operatorsOf({ type: 'boolean' }), 'boolean'),
  NullOperators: nullOperators,
  PathOperators: operatorsSchema(pathOperators, 'any'),
  JsonOperators: {
    ...nullOperators,
    properties: {
      ...nullOperators.properties,
      _json: {
        description: 'Conditions on values, by their paths, such as `theme.colors[0]`.',
        type: 'object',
        additionalProperties: {
          anyOf: [ref('schemas', 'PathOperators'), { type: 'array', items: { type: 'object' } }],
        },
      },
    },
  },
  ConcealedOperators: operatorsSchema(operatorsOf({ type: 'string', conceal: true }), null),
};

const comparisonOf = (field: Field): ReferenceObject =>
  ref('schemas', field.conceal || field.hash ? 'ConcealedOperators' : fieldTypes[field.type].filter.openapi);

/**
 * Returns the filter schema of a collection: field operators, nested filters of related collections, `_and`
 * and `_or`.
 */
export const filterSchema = (collection: Collection, context: Context): SchemaObject => {
  const self = ref('schemas', `${context.stemOf(collection)}Filter`);
  const fields = collection.fields.map((field) => [field.name, comparisonOf(field)] as const);
  const relations = collection.relations.flatMap((relation) => {
    const schema = relationFilter(relation, collection, context);
    return schema === null ? [] : [[relation.name, schema] as const];
  });
  return {
    'x-svc-keep': ['_and', '_or'],
    type: 'object',
    properties: {
      ...Object.fromEntries<SchemaObject | ReferenceObject>([
        ...fields,
        ...relations,
        ...targetFilters(collection, context),
      ]),
      _and: { type: 'array', items: self },
      _or: { type: 'array', items: self },
    },
    ...callSchemas,
    additionalProperties: false,
  };
};

/** Returns the filters through the targets of many-to-any relations, named as in `item:works`. */
const targetFilters = (
  { relations }: Collection,
  context: Context,
): readonly (readonly [string, ReferenceObject])[] =>
  relations.flatMap((relation) =>
    relation.kind !== 'manyToAny'
      ? []
      : relation.targets.flatMap((name) => {
          const target = context.collection(name);
          return target === undefined
            ? []
            : [[`${relation.name}:${name}`, ref('schemas', `${context.stemOf(target)}Filter`)] as const];
        }),
  );

/** Calls of functions, such as `year(created)` and `json(data, size)`; the types of the library lack the keyword. */
const callSchemas = {
  patternProperties: {
    [`^(${numberFunctions.join('|')})\\(.+\\)$`]: ref('schemas', 'IntegerOperators'),
    '^json\\(.+,.+\\)$': ref('schemas', 'PathOperators'),
  },
};

const relationFilter = (
  relation: Relation,
  collection: Collection,
  context: Context,
): SchemaObject | ReferenceObject | null => {
  const target = relation.kind === 'manyToAny' ? undefined : context.collection(relation.target);
  if (target === undefined) return null;
  const nested = ref('schemas', `${context.stemOf(target)}Filter`);
  if (relation.kind === 'oneToMany')
    return { ...accessExtensions(target, 'read'), anyOf: [nested, quantified(nested, target)] };
  const column = collection.fields.find((field) => field.name === relation.name);
  return column === undefined ? nested : { anyOf: [comparisonOf(column), nested] };
};

const quantified = (nested: ReferenceObject, target: Collection): SchemaObject => ({
  type: 'object',
  properties: {
    _some: nested,
    _none: nested,
    _null: { type: 'boolean' },
    _nnull: { type: 'boolean' },
    ...(target.key.length === 1 && keyComparisons),
  },
  additionalProperties: false,
});

/** Operators that compare the keys of a list's items. */
const keyComparisons: Record<string, SchemaObject> = {
  _eq: { description: 'At least one item has this key.' },
  _neq: { description: 'No item has this key.' },
  _in: { description: 'At least one item has a key from this list.' },
  _nin: { description: 'No item has a key from this list.' },
};
