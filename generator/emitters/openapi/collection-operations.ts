/** Describes the operations on one collection: parameters, bodies and responses. */
import type {
  OperationObject,
  ParameterObject,
  ReferenceObject,
  ResponsesObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import type { Collection } from '../../model/types.js';
import { arrayOf, closedObject, dataOf, jsonBody, jsonContent } from './bodies.js';
import type { Context } from './context.js';
import { errorRefs } from './errors.js';
import {
  conflictParameters,
  deleteParameters,
  itemParameters,
  listParameters,
  matchParameters,
  writtenParameters,
} from './parameters.js';
import { ref } from './refs.js';
import { keySchema } from './wire.js';

export interface Subject {
  readonly collection: Collection;
  readonly context: Context;
  readonly stem: string;
  /** The collection's name on one line. */
  readonly name: string;
}

/** Describes `GET /items/<collection>`; SEARCH, which OpenAPI 3.1 does not know, is in its description. */
export const list = (subject: Subject): OperationObject =>
  operation(subject, {
    id: 'list',
    summary: `List items of ${subject.name}`,
    description:
      'Returns the items that the caller may read. SEARCH on the same path accepts the parameters in the body.',
    parameters: listParameters(subject.stem),
    ok: { 200: ref('responses', `${subject.stem}ListOrExport`) },
    statuses: reading,
  });

/** Describes SEARCH, which OpenAPI 3.1 does not support, for an extension of the path. */
export const search = (subject: Subject): OperationObject =>
  operation(subject, {
    id: 'search',
    summary: `Search items of ${subject.name}`,
    description:
      'Returns a list like GET, with the parameters in the body, for queries that are too long for a URL.',
    body: closedObject(
      {
        query: ref('schemas', `${subject.stem}Query`),
        ...(subject.collection.key.length > 0 && keysOf(subject)),
      },
      [],
    ),
    bodyOptional: true,
    ok: { 200: ref('responses', `${subject.stem}List`) },
    statuses: writing,
  });

/** Describes `POST /items/<collection>`, of one item or of an array of them. */
export const create = (subject: Subject): OperationObject => {
  const payload = ref('schemas', `${subject.stem}Create`);
  const created = ref('schemas', subject.stem);
  return operation(subject, {
    id: 'create',
    summary: `Create items of ${subject.name}`,
    description: `One object creates one item, an array creates several. ${unreadOrMany} With \`on_conflict\`, it returns \`meta\` in these cases too, and null as \`data\`.`,
    parameters: [...writtenParameters, ...conflictParameters],
    body: { oneOf: [payload, arrayOf(payload)] },
    ok: {
      200: {
        description: 'The created item or items.',
        content: jsonContent(
          dataOf(
            { oneOf: [created, arrayOf(created), { type: 'null' }] },
            { meta: ref('schemas', 'WriteMeta') },
          ),
        ),
      },
      204: ref('responses', 'NotReturned'),
    },
    statuses: writing,
  });
};

/**
 * Describes `PATCH /items/<collection>` in its three forms: by keys, by query, and an array of items with
 * their keys.
 */
export const updateMany = (subject: Subject): OperationObject => {
  const data = ref('schemas', `${subject.stem}Update`);
  const query = ref('schemas', `${subject.stem}WriteQuery`);
  return operation(subject, {
    id: 'updateMany',
    summary: `Update items of ${subject.name}`,
    description: `Sets the same data on several keys or on all items that match a query, or updates an array of objects with their keys. ${unreadOrMany}`,
    parameters: writtenParameters,
    body: {
      oneOf: [
        closedObject({ ...keysOf(subject), data }, ['keys', 'data']),
        closedObject({ query, data }, ['query', 'data']),
        // not `allOf`, which generators of clients merge into a type of its own
        arrayOf({ ...data, required: [...subject.collection.key] } as ReferenceObject),
      ],
    },
    ok: { 200: ref('responses', `${subject.stem}List`), 204: ref('responses', 'NotReturned') },
    statuses: writing,
  });
};

/** Describes `DELETE /items/<collection>`: an array of keys, or an object with `keys` or `query`. */
export const deleteMany = (subject: Subject): OperationObject => {
  const { keys } = keysOf(subject);
  const query = ref('schemas', `${subject.stem}WriteQuery`);
  return operation(subject, {
    id: 'deleteMany',
    summary: `Delete items of ${subject.name}`,
    description: 'Deletes the items of several keys, or all items that match a query.',
    parameters: deleteParameters,
    body: { oneOf: [keys, closedObject({ keys }, ['keys']), closedObject({ query }, ['query'])] },
    ok: { 204: ref('responses', 'NoContent') },
    statuses: writing,
  });
};

/** Describes `GET /items/<collection>/<key>`, or without a key for a singleton. */
export const readOne = (subject: Subject): OperationObject =>
  operation(subject, {
    id: 'read',
    summary: subject.collection.singleton ? `Read ${subject.name}` : `Read one item of ${subject.name}`,
    description: 'Returns 403 both for an item that does not exist and for one that the caller may not read.',
    parameters: itemParameters,
    ok: {
      200: ref('responses', `${subject.stem}ItemOrExport`),
      304: ref('responses', 'NotModified'),
    },
    statuses: reading,
  });

/** Describes `PATCH /items/<collection>/<key>`, or without a key for a singleton. */
export const updateOne = (subject: Subject): OperationObject =>
  operation(subject, {
    id: 'update',
    summary: subject.collection.singleton ? `Update ${subject.name}` : `Update one item of ${subject.name}`,
    description: `Updates only the fields in the body. ${unread}`,
    parameters: [...writtenParameters, ...matchParameters],
    body: ref('schemas', `${subject.stem}Update`),
    ok: { 200: ref('responses', `${subject.stem}Item`), 204: ref('responses', 'NoContent') },
    statuses: matching,
  });

/** Describes `DELETE /items/<collection>/<key>`. */
export const deleteOne = (subject: Subject): OperationObject =>
  operation(subject, {
    id: 'delete',
    summary: `Delete one item of ${subject.name}`,
    description: 'Deletes the item and returns no body.',
    parameters: [...deleteParameters, ...matchParameters],
    ok: { 204: ref('responses', 'NoContent') },
    statuses: matching,
  });

const unread = 'Returns 204 if the caller may not read the result.';
const unreadOrMany =
  'Returns 204 if the caller may not read the result, or if it has more than 10 000 items.';
const reading = [400, 401, 403, 429, 500, 503];
const writing = [400, 401, 403, 413, 415, 429, 500, 503];
/** Error statuses of writes that compare `If-Match`. */
const matching = [...writing, 412];

interface Parts {
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: (ParameterObject | ReferenceObject)[];
  readonly body?: SchemaObject | ReferenceObject;
  /** True where the body is optional. */
  readonly bodyOptional?: true;
  readonly ok: ResponsesObject;
  readonly statuses: readonly number[];
}

const operation = ({ collection, context, stem }: Subject, parts: Parts): OperationObject => ({
  operationId: `${parts.id}${stem}`,
  tags: [collection.name],
  summary: parts.summary,
  description: parts.description,
  ...(parts.parameters !== undefined && { parameters: parts.parameters }),
  ...(parts.body !== undefined && { requestBody: jsonBody(parts.body, parts.bodyOptional !== true) }),
  responses: { ...parts.ok, ...errorRefs(context.errors, parts.statuses) },
});

const keysOf = ({ collection }: Subject): { keys: SchemaObject } => ({
  keys: arrayOf(keySchema(collection, 'write')),
});
