/** Whatever tells of filters, tells of the operators that are served: all of them, and no others. */
import { buildSchema, getNamedType, isInputObjectType } from 'graphql';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { emitClient } from '../../../generator/emitters/client/index.js';
import { emitDocs } from '../../../generator/emitters/docs/index.js';
import { emitGraphql } from '../../../generator/emitters/graphql/index.js';
import { openApiDocument } from '../../../generator/emitters/openapi/index.js';
import type { Field, FieldType } from '../../../generator/model/types.js';
import { operatorsOf, takesPaths } from '../../../contract/field-operators.js';
import { collection, counter, everyType, field, model } from '../models.js';

const fields: readonly Field[] = [
  ...everyType.map((type: FieldType) => field(type, type)),
  field('concealed', 'string', { conceal: true }),
  field('hashed', 'string', { hash: true }),
];
const thing = model([collection('Thing', [counter('id'), ...fields])]);

const fileOf = (
  files: readonly { readonly path: string; readonly content: string }[],
  path: string,
): string => files.find((file) => file.path === path)?.content ?? '';

const { schemas = {} } = openApiDocument(thing).components ?? {};
const inOpenApi = (name: string): readonly string[] => {
  const { properties = {} } = schemas['ThingFilter'] as { properties?: Record<string, { $ref: string }> };
  const { anyOf = [], ...only } = schemas[properties[name]?.$ref.split('/').at(-1) ?? ''] as {
    readonly anyOf?: readonly { readonly properties?: object }[];
    readonly properties?: object;
  };
  return [only, ...anyOf].flatMap((each) => Object.keys(each.properties ?? {}));
};

const inputs = buildSchema(fileOf(emitGraphql(thing), 'graphql/items.graphql')).getTypeMap();
const fieldsOfInput = (type: unknown) => (isInputObjectType(type) ? type.getFields() : {});
const inGraphql = (name: string): readonly string[] =>
  Object.keys(fieldsOfInput(getNamedType(fieldsOfInput(inputs['Thing_filter'])[name]?.type)));

const page = fileOf(emitDocs(thing), 'docs/thing.md');
const inDocs = (name: string): readonly string[] => {
  const row = page.split('\n').find((line) => line.includes('`_null`') && line.includes(`\`${name}\``));
  return Array.from((row ?? '').matchAll(/`(_\w+)`/g), ([, operator = '']) => operator);
};

const program = ts.createProgram(['client/filters.ts'], { noLib: true, noResolve: true });
const checker = program.getTypeChecker();
const source = program.getSourceFile('client/filters.ts');
const client = fileOf(emitClient(thing), 'client/src/collections/thing.ts');
const inClient = (name: string): readonly string[] => {
  const [, type] = new RegExp(`^  ${name}\\?: svc\\.(\\w+Filter);`, 'm').exec(client) ?? [];
  const declared = source?.statements.find(
    (each) => ts.isInterfaceDeclaration(each) && each.name.text === type,
  );
  if (declared === undefined) return [];
  const names = checker.getPropertiesOfType(checker.getTypeAtLocation(declared)).map((each) => each.name);
  // what begins with two underscores exists in the type only
  return names.filter((each) => !each.startsWith('__'));
};

describe.each(fields.map((each) => [each.name, each] as const))('of %s', (name, each) => {
  const served = [...operatorsOf(each)].map((operator) => `_${operator}`);
  if (takesPaths(each)) served.push('_json');

  it.each([
    ['the OpenAPI document', inOpenApi],
    ['the GraphQL schema', inGraphql],
    ['the pages', inDocs],
    ['the client', inClient],
  ])('%s lists the served operators', (_, told) => {
    expect([...told(name)].sort()).toEqual(served.toSorted());
  });
});
