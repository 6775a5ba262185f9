import { describe, expect, it } from 'vitest';
import { emitOperations } from '../../../generator/emitters/operations/index.js';
import type { JsonSchema, Operation } from '../../../generator/model/types.js';
import { model } from '../models.js';

const operation = (parts: Partial<Operation>): Operation => ({
  id: 'thingDo',
  summary: 'Do a thing',
  tag: 'Things',
  method: 'post',
  path: '/things',
  access: 'public',
  withoutSession: false,
  beforeSecondFactor: false,
  startsLogin: false,
  withoutAdmission: false,
  acceptsKey: false,
  upload: false,
  file: null,
  parameters: [],
  body: null,
  graphql: null,
  own: true,
  served: true,
  responses: [],
  errors: [],
  ...parts,
});

const emit = (...operations: Operation[]): string =>
  emitOperations(model([], { operations }))[0]?.content ?? '';

const inputOf = (parts: Partial<Operation>): string =>
  /^export type ThingDoInput = ([^]*?);\nexport/m.exec(emit(operation(parts)))?.[1] ?? '';

const outputOf = (responses: readonly Partial<Operation['responses'][number]>[]): string => {
  const filled = responses.map((parts) => ({
    status: 200,
    description: '',
    contentType: null,
    schema: null,
    ...parts,
  }));
  return /^export type ThingDoOutput = ([^]*?);\n\n/m.exec(emit(operation({ responses: filled })))?.[1] ?? '';
};

const json = (schema: JsonSchema) => ({ contentType: 'application/json', schema });

describe('the input of an operation', () => {
  it('is empty without parameters and body', () => {
    expect(inputOf({})).toBe('Record<string, never>');
  });

  it('contains parameters of all locations by name, and the body', () => {
    const described = { description: '', schema: { type: 'string' } };
    const parameters = [
      { name: 'id', in: 'path' as const, required: true, ...described },
      { name: 'dry-run', in: 'query' as const, required: false, ...described },
    ];
    expect(inputOf({ parameters, body: { type: 'array', items: { type: 'integer' } } })).toBe(
      "{ id: string; 'dry-run'?: string; body: number[] }",
    );
  });
});

describe('a named schema', () => {
  const line = { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] };
  const order = { type: 'object', properties: { lines: { type: 'array', items: line } } };
  const operationTypes = [
    { name: 'Line', schema: line },
    { name: 'Order', schema: { ...order, description: 'What is bought' } },
  ];
  const content = (): string =>
    emitOperations(model([], { operations: [operation({ body: line })], operationTypes }))[0]?.content ?? '';

  it('becomes a named type with a description, which refers to other named types', () => {
    expect(content()).toContain('export type Line = { sku: string };');
    expect(content()).toContain('/** What is bought */\nexport type Order = { lines?: Line[] };');
  });

  it('replaces every equal schema', () => {
    expect(content()).toContain('export type ThingDoInput = { body: Line };');
  });
});

describe('the output of an operation', () => {
  it('is the body of its one response', () => {
    expect(outputOf([json({ type: 'string' })])).toBe('string');
  });

  it('is undefined for a response without a body', () => {
    expect(outputOf([{ status: 204 }])).toBe('void');
  });

  it('includes the status if there are several', () => {
    expect(outputOf([json({ type: 'string' }), { status: 202 }])).toBe(
      '{ status: 200; body: string } | { status: 202 }',
    );
  });

  it('merges statuses with the same body', () => {
    expect(outputOf([json({ type: 'string' }), { status: 503, ...json({ type: 'string' }) }])).toBe(
      '{ status: 200 | 503; body: string }',
    );
  });
});

describe('a JSON Schema', () => {
  it.each<[JsonSchema, string]>([
    [{ type: 'string' }, 'string'],
    [{ type: 'integer' }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: ['integer', 'number'] }, 'number'],
    [{ const: 'pong' }, "'pong'"],
    [{ enum: ['a', 1, true, null] }, "'a' | 1 | true | null"],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, "('a' | 'b')[]"],
    [{ type: 'array' }, 'unknown[]'],
    [{ anyOf: [{ type: 'string' }, { type: 'boolean' }] }, 'string | boolean'],
    [{ oneOf: [{ type: 'string' }, {}] }, 'unknown'],
    [{}, 'unknown'],
    [{ type: 'object' }, '{ [name: string]: unknown }'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [name: string]: number }'],
    [{ type: 'object', additionalProperties: false }, '{}'],
    [
      { type: 'object', required: ['a'], properties: { a: { type: 'string' }, 'b c': { type: 'null' } } },
      "{ a: string; 'b c'?: null }",
    ],
    [
      { type: 'object', required: ['a'], additionalProperties: true },
      '{ a: unknown; [name: string]: unknown }',
    ],
    [
      { type: ['object', 'null'], additionalProperties: false, properties: { a: { type: 'string' } } },
      '{ a?: string } | null',
    ],
  ])('%j is the type %s', (schema, printed) => {
    expect(outputOf([json(schema)])).toBe(printed);
  });
});

describe('the file', () => {
  it('has a method and a declaration for every operation', () => {
    const content = emit(operation({}), operation({ id: 'thingStop', access: 'admin', responses: [] }));
    expect(content).toContain(
      '  /** Do a thing */\n  thingDo(input: ThingDoInput, context: OperationContext)',
    );
    expect(content).toContain("    id: 'thingStop',\n    access: 'admin',\n    responses: {},");
  });

  it.each([
    'withoutSession',
    'beforeSecondFactor',
    'startsLogin',
    'withoutAdmission',
    'acceptsKey',
    'upload',
  ] as const)('declares %s where it is true', (name) => {
    expect(emit(operation({}))).not.toContain(name);
    expect(emit(operation({ [name]: true }))).toContain(`    ${name}: true,\n`);
  });

  it.each([
    [true, ['server/queue-models.ts']],
    [false, ['server/operations.ts', 'server/queue-models.ts']],
  ])('omits team operations if all belong to the package: %s', (own, paths) => {
    const files = emitOperations(model([], { operations: [operation({ own })], forPackage: false }));
    expect(files.map(({ path }) => path)).toEqual(paths);
  });
});
