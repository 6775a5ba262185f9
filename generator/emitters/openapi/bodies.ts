/** Bodies: JSON everywhere, answers in the envelope. */
import type {
  ContentObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import type { Collection } from '../../model/types.js';
import type { Context } from './context.js';
import { marks } from './extensions.js';
import { ref } from './refs.js';
import { code } from './text.js';

type Schema = SchemaObject | ReferenceObject;

export const jsonContent = (schema: Schema): ContentObject => ({ 'application/json': { schema } });

export const jsonBody = (schema: Schema, required = true): RequestBodyObject => ({
  required,
  content: jsonContent(schema),
});

export const arrayOf = (items: Schema): SchemaObject => ({ type: 'array', items });

/** Other keys are refused. */
export const closedObject = (properties: Record<string, Schema>, required: string[]): SchemaObject => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

/** The envelope of every answer that has a body. */
export const dataOf = (data: Schema, meta: Record<string, Schema> = {}): SchemaObject => ({
  type: 'object',
  properties: { data, ...meta },
  required: ['data'],
});

/** `<Type>List` and `<Type>Item`. */
export const collectionResponses = (
  collection: Collection,
  context: Context,
): Record<string, ResponseObject> => {
  const stem = context.stemOf(collection);
  const item = ref('schemas', stem);
  return {
    [`${stem}List`]: {
      ...marks(collection, 'read'),
      description: `Items of ${code(collection.name)}.`,
      content: jsonContent(dataOf(arrayOf(item), { meta: ref('schemas', 'ListMeta') })),
    },
    [`${stem}Item`]: {
      ...marks(collection, 'read'),
      description: `One item of ${code(collection.name)}.`,
      content: jsonContent(dataOf(item)),
    },
  };
};

export const noContent: ResponseObject = { description: 'Done; the answer has no body.' };
