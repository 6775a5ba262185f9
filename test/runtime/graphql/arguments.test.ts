/** Arguments that are read for many requests, against the library that reads them for one. */
import {
  buildSchema,
  getArgumentValues,
  getVariableValues,
  parse,
  type FieldNode,
  type GraphQLField,
  type OperationDefinitionNode,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { createArgumentReader } from '../../../runtime/graphql/arguments.js';

const schema = buildSchema(`
  scalar JSON
  enum Order { UP DOWN }
  input Range { from: Int! = 1, to: Int, tags: [String], inner: Range }
  type Query {
    list(range: Range, ranges: [Range!], ids: [Int!], data: JSON, order: Order = DOWN, limit: Int! = 10, name: String): Int
  }
`);

/** Arguments, their variable declarations, and the variables of each call. */
const cases: readonly (readonly [arguments_: string, declared: string, ...given: object[]])[] = [
  ['limit: 3, range: { to: 5 }, order: UP', ''],
  ['limit: $n', '$n: Int! = 7', {}, { n: 4 }, { n: 5 }],
  ['limit: $n', '$n: Int = 7', { n: 1 }, {}, { n: null }, { n: 2 }],
  ['name: $s', '$s: String', { s: 'a' }, { s: null }, {}, { s: '' }],
  ['order: $o, limit: 2', '$o: Order', { o: 'UP' }, {}, { o: null }, { o: 'DOWN' }],
  ['range: $r', '$r: Range', { r: { to: 1 } }, { r: null }, {}, { r: { from: 3, inner: { to: null } } }],
  [
    'range: { from: $n, to: $m }',
    '$n: Int! = 2, $m: Int',
    { m: 1 },
    { n: 4, m: null },
    { n: 4 },
    { n: 0, m: 0 },
  ],
  ['range: { from: $n }', '$n: Int', { n: 3 }, {}, { n: null }],
  [
    'range: { to: 1, inner: { inner: { tags: ["x", $t] } } }',
    '$t: String',
    { t: 'a' },
    {},
    { t: null },
    { t: '$t' },
  ],
  ['range: { tags: $l }', '$l: [String]', { l: ['a', null] }, { l: [] }, { l: null }, { l: 'one' }],
  ['ids: [1, $n, 3]', '$n: Int!', { n: 2 }, { n: 9 }],
  ['ids: $l', '$l: [Int!]', { l: [1, 2] }, { l: 3 }, {}],
  ['ranges: [{ to: $n }, $r]', '$n: Int, $r: Range!', { n: 1, r: {} }, { r: { to: 2 } }, { n: null, r: {} }],
  [
    'data: { a: [$j, { b: $j }], c: $k, __proto__: $k }',
    '$j: JSON, $k: JSON',
    { j: { deep: [1] }, k: 'x' },
    { j: null },
    {},
    { j: [], k: { __proto__: null, constructor: 1 } },
  ],
];

const read = (run: () => unknown): unknown => {
  try {
    return JSON.stringify(run());
  } catch {
    return 'an error';
  }
};

describe('the plan cache keeps the arguments of each request', () => {
  it.each(cases)('%s', (given, declared, ...requests) => {
    const document = parse(`query ${declared === '' ? '' : `(${declared})`} { list(${given}) }`);
    const operation = document.definitions[0] as OperationDefinitionNode;
    const node = operation.selectionSet.selections[0] as FieldNode;
    const field = schema.getQueryType()?.getFields().list as GraphQLField<unknown, unknown>;
    const reader = createArgumentReader(field, node);
    for (const request of requests.length === 0 ? [{}, {}] : [...requests, ...requests]) {
      const { coerced, errors } = getVariableValues(
        schema,
        operation.variableDefinitions ?? [],
        request as Record<string, unknown>,
      );
      expect(errors).toBeUndefined();
      if (coerced === undefined) continue;
      expect(read(() => reader(coerced).translated())).toBe(
        read(() => getArgumentValues(field, node, coerced)),
      );
      expect(read(() => reader(coerced).given())).toBe(read(() => getArgumentValues(field, node, coerced)));
    }
  });
});
