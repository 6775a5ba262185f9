/** Emits `openapi.json`, the API as OpenAPI 3.1. Copy this emitter when writing another one. */
import type {
  ComponentsObject,
  OpenAPIObject,
  OperationObject,
  PathItemObject,
  PathsObject,
  TagObject,
} from 'openapi3-ts/oas31';
import type { Collection, Model, OutputFile } from '../../model/types.js';
import { collectionResponses, noContent, notModified, notReturned } from './bodies.js';
import { createContext, type Context } from './context.js';
import { errorResponses } from './errors.js';
import { operatorSchemas } from './filters.js';
import { querySchemas, queryParameters } from './parameters.js';
import { transferParameters } from './transfers.js';
import { collectionPaths } from './paths.js';
import { queuePaths, queueTag } from './queue.js';
import { queueSchemas } from './queue-schemas.js';
import { keepReferenced, ref } from './refs.js';
import { collectionSchemas } from './schemas.js';
import { openSecurity, securitySchemesOf } from './security.js';
import { operationPaths } from './spec-operations.js';
import { plainText } from './text.js';
import { queueWebhooks } from './webhooks.js';

/** Emits the document for a caller who may do everything; the server restricts it for each caller. */
export const emitOpenApi = (model: Model): OutputFile[] => [
  { path: 'openapi.json', content: `${JSON.stringify(openApiDocument(model), null, 2)}\n` },
];

/**
 * Returns the document as an object. Its parts are shared: clone it before passing it to code that changes
 * it.
 */
export const openApiDocument = (model: Model): OpenAPIObject => {
  const context = createContext(model);
  const paths = allPaths(context);
  const webhooks = queueWebhooks(model.queueModels);
  const { title, version, description } = model.api;
  return {
    openapi: '3.1.0',
    info: { title, version, description },
    servers: [{ url: '/' }],
    security: openSecurity,
    tags: allTags(model),
    paths,
    ...(model.queueModels.length > 0 && { webhooks }),
    components: keepReferenced(allComponents(context), [paths, webhooks]),
  };
};

/** Returns all paths: collections in the order of the model, then operations and queue models. */
const allPaths = (context: Context): PathsObject => {
  const paths = new Map<string, PathItemObject>();
  const collectionParts = context.model.collections.map((collection) => collectionPaths(collection, context));
  const { queueModels } = context.model;
  for (const part of [...collectionParts, operationPaths(context), queuePaths(queueModels)]) {
    for (const [path, item] of Object.entries<PathItemObject>(part))
      paths.set(path, { ...paths.get(path), ...describeLongHeads(item) });
  }
  return Object.fromEntries(paths);
};

/** Adds the response that Node gives to any request whose URL and headers are too long. */
const describeLongHeads = (item: PathItemObject): PathItemObject =>
  Object.fromEntries(
    Object.entries(item).map(([key, part]: [string, unknown]) => [
      key,
      isOperation(part) ? { ...part, responses: { ...part.responses, 431: longHead } } : part,
    ]),
  );

const isOperation = (part: unknown): part is OperationObject =>
  typeof part === 'object' && part !== null && 'responses' in part;

const longHead = ref('responses', 'RequestHeaderFieldsTooLarge');

const allComponents = (context: Context): ComponentsObject => {
  const { collections, queueModels } = context.model;
  const collectParts = <Part>(parts: (collection: Collection, context: Context) => Record<string, Part>) =>
    Object.fromEntries(collections.flatMap((collection) => Object.entries(parts(collection, context))));
  return {
    schemas: {
      ...collectParts(collectionSchemas),
      ...querySchemas,
      ...operatorSchemas,
      ...queueSchemas(queueModels),
    },
    responses: {
      ...collectParts(collectionResponses),
      NoContent: noContent,
      NotModified: notModified,
      NotReturned: notReturned,
      RequestHeaderFieldsTooLarge: { description: 'URL and headers exceed 16 KiB.' },
      ...errorResponses(context.errors),
    },
    parameters: { ...queryParameters, ...transferParameters },
    securitySchemes: securitySchemesOf(context.model),
  };
};

/** Returns one tag per served collection and one per area of operations. */
const allTags = ({ collections, operations, queueModels }: Model): TagObject[] => {
  const tags = new Map<string, TagObject>();
  for (const { name, note, path } of collections) {
    if (path !== null) tags.set(name, note === null ? { name } : { name, description: plainText(note) });
  }
  for (const { tag } of operations) if (!tags.has(tag)) tags.set(tag, { name: tag });
  if (queueModels.length > 0) tags.set(queueTag, { name: queueTag });
  return [...tags.values()];
};
