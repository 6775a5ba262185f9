/** Describes JSON bodies and the envelope of responses. */
import type {
  ContentObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import type { Collection } from '../../model/types.js';
import type { Context } from './context.js';
import { accessExtensions } from './extensions.js';
import { ref } from './refs.js';
import { code } from './text.js';

type Schema = SchemaObject | ReferenceObject;

/** Describes content of the type `application/json` alone. */
export const jsonContent = (schema: Schema): ContentObject => ({ 'application/json': { schema } });

/**
 * Describes a text that is JSON, by `contentSchema` of JSON Schema 2020-12. Without a format, which needs no meaning, generators of
 * clients take a text with a media type for a file.
 */
export const jsonText = (contentSchema: Schema): SchemaObject => {
  const schema = { type: 'string', format: 'json-text', contentMediaType: 'application/json', contentSchema };
  // the type of schemas lacks `contentSchema`
  return schema as SchemaObject;
};

/** Returns the content of a read that the parameter `export` may ask for as a file. */
const exportedContent = (enveloped: Schema, bare: Schema): ContentObject => ({
  ...jsonContent(enveloped),
  ...Object.fromEntries(fileTypes.map((type) => [type, {}])),
  'text/yaml': { schema: bare },
});

/** Types whose content a schema does not describe. */
export const fileTypes = ['application/x-ndjson', 'text/csv', 'text/xml'];

/** Describes a JSON body, which requests must have unless `required` is false. */
export const jsonBody = (schema: Schema, required = true): RequestBodyObject => ({
  required,
  content: jsonContent(schema),
});

/** Describes an array of any length. */
export const arrayOf = (items: Schema): SchemaObject => ({ type: 'array', items });

/** Returns the schema of an object that rejects other keys. */
export const closedObject = (properties: Record<string, Schema>, required: string[]): SchemaObject => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

/** Returns the schema of the response envelope. */
export const dataOf = (data: Schema, meta: Record<string, Schema> = {}): SchemaObject => ({
  type: 'object',
  properties: { data, ...meta },
  required: ['data'],
});

/** Returns the responses `<Type>List` and `<Type>Item` of a collection, and those of reads, which may be exports. */
export const collectionResponses = (
  collection: Collection,
  context: Context,
): Record<string, ResponseObject> => {
  const stem = context.stemOf(collection);
  const item = ref('schemas', stem);
  const list = dataOf(arrayOf(item), { meta: ref('schemas', 'ListMeta') });
  const items = `Items of ${code(collection.name)}.`;
  const one = `One item of ${code(collection.name)}.`;
  const response = (
    description: string,
    content: ContentObject,
    headers?: ResponseObject['headers'],
  ): ResponseObject => ({
    ...accessExtensions(collection, 'read'),
    description,
    ...(headers !== undefined && { headers }),
    content,
  });
  return {
    [`${stem}List`]: response(items, jsonContent(list)),
    [`${stem}Item`]: response(one, jsonContent(dataOf(item))),
    [`${stem}ListOrExport`]: response(items, exportedContent(list, arrayOf(item))),
    [`${stem}ItemOrExport`]: response(one, exportedContent(dataOf(item), item), tagHeaders),
  };
};

const tagHeaders: ResponseObject['headers'] = {
  ETag: {
    description: 'Identifies this state of the item, for `If-None-Match` and `If-Match`. Files have none.',
    schema: { type: 'string' },
  },
};

export const notModified: ResponseObject = {
  description: 'The response still has the `ETag` in `If-None-Match`.',
  headers: tagHeaders,
};

export const noContent: ResponseObject = { description: 'Success, without a body.' };

/** The response to writes of more items than are returned. */
export const notReturned: ResponseObject = {
  description: 'Success; the items are not returned.',
  headers: {
    'X-Svc-Rows': {
      description: 'Number of written items, if there are too many to return.',
      schema: { type: 'integer' },
    },
  },
};
