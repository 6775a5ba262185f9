/** The document has only what common generators of clients for TypeScript, Go and Python read. */
import { readFileSync } from 'node:fs';
import type { OpenAPIObject, ParameterObject, PathItemObject, ReferenceObject } from 'openapi3-ts/oas31';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../generator/emitters/openapi/index.js';
import { singleTypes } from '../../../generator/emitters/openapi/single-types.js';
import { collection, counter, everyType, field, kinds, model } from '../models.js';

const demo = JSON.parse(readFileSync('generated/openapi.json', 'utf8')) as OpenAPIObject;

const types = everyType.map((type) => field(`a ${type}`, type, { nullable: true }));

const documents: readonly (readonly [string, OpenAPIObject])[] = [
  ['the demo', demo],
  ['every kind of collection', openApiDocument(kinds())],
  ['every type', openApiDocument(model([collection('page', [counter('id'), ...types])]))],
];

interface Schema {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly items?: unknown;
  readonly prefixItems?: unknown;
}

/** Places of the objects in the document that are such a schema. */
const placesOf = (node: unknown, is: (schema: Schema) => boolean, place = '#'): readonly string[] => {
  if (typeof node !== 'object' || node === null) return [];
  const below = Object.entries(node).flatMap(([key, value]) => placesOf(value, is, `${place}/${key}`));
  return is(node) ? [place, ...below] : below;
};

const isMixed = ({ type }: Schema): boolean =>
  Array.isArray(type) && type.filter((each) => each !== 'null').length > 1;

const isOpen = ({ type, ...rest }: Schema): boolean =>
  [type].flat().includes('array') && !('items' in rest) && !('prefixItems' in rest);

const isParameter = (node: object): boolean => 'in' in node && 'name' in node && !('type' in node);

const hasTab = ({ enum: values }: Schema): boolean => Array.isArray(values) && values.includes('\t');

describe.each(documents)('the document of %s', (_, document) => {
  it('has one type beside null in each schema', () => {
    expect(placesOf(document, isMixed)).toEqual([]);
  });

  it('says what is in each array', () => {
    expect(placesOf(document, isOpen)).toEqual([]);
  });

  it('has no value with a tab, which no name can be made of', () => {
    expect(placesOf(document, hasTab)).toEqual([]);
  });

  it('has a schema for each parameter', () => {
    const parameters = placesOf(document, isParameter);
    const described = placesOf(document, (node) => isParameter(node) && 'schema' in node);
    expect(parameters.length).toBeGreaterThan(10);
    expect(described).toEqual(parameters);
  });

  it('names no parameter like a schema', () => {
    const { parameters = {}, schemas = {} } = document.components ?? {};
    const taken = new Set(Object.keys(schemas).map((name) => name.toLowerCase()));
    expect(Object.keys(parameters).filter((name) => taken.has(name.toLowerCase()))).toEqual([]);
  });
});

it('parameters that are JSON are texts', () => {
  const filter = demo.paths?.['/items/Track']?.get?.parameters?.find(
    (each) => 'name' in each && each.name === 'filter',
  );
  expect(filter).toHaveProperty('schema', {
    type: 'string',
    format: 'json-text',
    contentMediaType: 'application/json',
    contentSchema: { $ref: '#/components/schemas/TrackFilter' },
  });
});

const tagsOf = (items: Readonly<Record<string, PathItemObject | ReferenceObject>> = {}) =>
  new Set(
    Object.values(items)
      .flatMap((item) => Object.values(item))
      .flatMap((operation: { readonly tags?: readonly string[] }) => operation.tags ?? []),
  );

it('webhooks share no tag with requests, as a client has one file of each tag', () => {
  const tags = tagsOf(demo.paths);
  const received = [...tagsOf(demo.webhooks)];
  expect(received).toEqual(['Webhook deliveries']);
  expect(received.filter((tag) => tags.has(tag))).toEqual([]);
});

describe('reads', () => {
  const { paths = {}, components } = demo;

  it('describe the tag of an item, and the header that it is sent in', () => {
    const read = paths['/items/Track/{key}']?.get;
    expect(read?.parameters).toContainEqual({ $ref: '#/components/parameters/IfNoneMatchParameter' });
    expect(read?.responses).toHaveProperty('304');
    const header = components?.parameters?.IfNoneMatchParameter as ParameterObject;
    expect([header.name, header.in]).toEqual(['If-None-Match', 'header']);
    expect(components?.responses?.TrackItemOrExport).toHaveProperty('headers.ETag');
  });

  it('describe no tag of a list, which has none', () => {
    expect(paths['/items/Track']?.get?.responses).not.toHaveProperty('304');
    expect(components?.responses?.TrackListOrExport).not.toHaveProperty('headers');
  });
});

describe('names', () => {
  it('of tables do not replace components of the queue', () => {
    const own = ['queue_event', 'queue_request_not_found', 'query_deep'];
    const document = openApiDocument(model(own.map((name) => collection(name, [counter('id')]))));
    const names = Object.keys(document.components?.schemas ?? {});
    expect(names).toEqual(expect.arrayContaining(['QueueEvent2', 'QueueRequestNotFound2', 'QueryDeep2']));
  });
});

describe('singleTypes', () => {
  it('gives each type its keywords, and leaves the rest beside them', () => {
    const schema = { type: ['string', 'integer', 'null'], pattern: '^x', minimum: 1, description: 'd' };
    expect(singleTypes({ properties: { type: schema } })).toEqual({
      properties: {
        type: {
          description: 'd',
          anyOf: [{ type: 'string', pattern: '^x' }, { type: 'integer', minimum: 1 }, { type: 'null' }],
        },
      },
    });
  });

  it('leaves data and schemas of one type as they are', () => {
    const part = {
      default: { type: ['a', 'b'] },
      a: { type: ['string', 'null'], examples: [{ type: ['a', 'b'] }] },
    };
    expect(singleTypes(part.a)).toBe(part.a);
    expect(singleTypes({ default: [{ type: ['a', 'b'] }] })).toEqual({ default: [{ type: ['a', 'b'] }] });
  });
});
