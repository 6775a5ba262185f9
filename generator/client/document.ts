/**
 * Builds the OpenAPI document from which REST functions are generated: the operations, and one generic set
 * for the items of any collection, since functions per collection would differ in their names only.
 */
import type { Api, Operation } from '../model/types.js';

export type Json = Readonly<Record<string, unknown>>;

/** Builds the document. Paths of items lack `/items`, which those of system collections do not have. */
export const clientDocument = ({ title, version }: Api, operations: readonly Operation[]): Json => {
  const paths = new Map<string, Json>(Object.entries(itemPaths));
  for (const operation of operations) {
    paths.set(operation.path, { ...paths.get(operation.path), [operation.method]: toOpenApi(operation) });
  }
  return { openapi: '3.1.0', info: { title, version }, paths: Object.fromEntries(paths) };
};

const toOpenApi = ({ id, tag, summary, parameters, body, file, responses }: Operation): Json => ({
  operationId: id,
  tags: [tag],
  summary,
  parameters,
  ...(body !== null && { requestBody: jsonBody(body) }),
  ...(file !== null && { requestBody: formWithFile }),
  responses: Object.fromEntries(
    responses.map(({ status, description, contentType, schema }) => [
      status,
      { description, ...(contentType !== null && { content: { [contentType]: { schema: schema ?? {} } } }) },
    ]),
  ),
});

const jsonBody = (schema: Json): Json => ({ required: true, content: { 'application/json': { schema } } });

/** A form with one file. */
const formWithFile: Json = {
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        properties: { file: { type: 'string', format: 'binary' } },
        required: ['file'],
      },
    },
  },
};

/** The response envelope of reads and writes; the collection determines the type of `data`. */
const envelope = {
  description: 'Items, or one item.',
  content: {
    'application/json': {
      schema: { type: 'object', properties: { data: {}, meta: {} }, required: ['data'] },
    },
  },
};
const nothing = { description: 'The answer has no body.' };

const pathParameter = (name: string, schema: Json): Json => ({ name, in: 'path', required: true, schema });
const collection = pathParameter('collection', { type: 'string' });
const key = pathParameter('key', { type: 'array', items: { type: 'string' } });
const names = ['fields', 'filter', 'search', 'sort', 'limit', 'offset', 'page', 'deep', 'meta'];
const toParameter = (name: string): Json => ({ name, in: 'query', schema: { type: 'string' } });
const query = names.map(toParameter);
const write = [...query, toParameter('dry_run')];
const create = [...write, toParameter('on_conflict'), toParameter('conflict')];
const deletion = toParameter('dry_run');
const body = jsonBody({});

const itemPaths: Readonly<Record<string, Json>> = {
  '/{collection}': {
    get: { operationId: 'readItems', parameters: [collection, ...query], responses: { 200: envelope } },
    post: {
      operationId: 'createItems',
      parameters: [collection, ...create],
      requestBody: body,
      responses: { 200: envelope, 204: nothing },
    },
    patch: {
      operationId: 'updateItems',
      parameters: [collection, ...write],
      requestBody: body,
      responses: { 200: envelope, 204: nothing },
    },
    delete: {
      operationId: 'deleteItems',
      parameters: [collection, deletion],
      requestBody: body,
      responses: { 204: nothing },
    },
  },
  '/{collection}/{key}': {
    get: { operationId: 'readItem', parameters: [collection, key, ...query], responses: { 200: envelope } },
    patch: {
      operationId: 'updateItem',
      parameters: [collection, key, ...write],
      requestBody: body,
      responses: { 200: envelope, 204: nothing },
    },
    delete: {
      operationId: 'deleteItem',
      parameters: [collection, key, deletion],
      responses: { 204: nothing },
    },
  },
};
