/** Emits `openapi.json`, the API as OpenAPI 3.1. Copy this emitter when writing another one. */
import type {
  ComponentsObject,
  OpenAPIObject,
  OperationObject,
  PathItemObject,
  PathsObject,
  ResponseObject,
  SchemaObject,
  TagObject,
} from 'openapi3-ts/oas31';
import { createPartCache, type PartCache } from '../../part-cache.js';
import type { Collection, Emitter, Model } from '../../model/types.js';
import { printJson } from '../../print/json.js';
import { collectionResponses, noContent, notModified, notReturned } from './bodies.js';
import { createContext, watchContext, type Context } from './context.js';
import { errorResponses } from './errors.js';
import { operatorSchemas } from './filters.js';
import { querySchemas, queryParameters } from './parameters.js';
import { transferParameters } from './transfers.js';
import { collectionPaths } from './paths.js';
import { queuePaths, queueTag } from './queue.js';
import { queueSchemas } from './queue-schemas.js';
import { keepReferenced, parameterName, ref } from './refs.js';
import { collectionSchemas } from './schemas.js';
import { openSecurity, securitySchemesOf } from './security.js';
import { singleTypes } from './single-types.js';
import { operationPaths } from './spec-operations.js';
import { plainText } from './text.js';
import { queueWebhooks, webhookTag } from './webhooks.js';

/** Emits the document for an administrator; the server restricts it for each caller. */
export const emitOpenApi: Emitter = (model, cache) => [
  { path: 'openapi.json', content: `${printJson(openApiDocument(model, cache), partDepth)}\n` },
];

/** Levels of objects above the items of paths and the components. */
const partDepth = 3;

/**
 * Returns the document as an object. Its parts are shared: clone it before passing it to code that changes
 * it.
 */
export const openApiDocument = (model: Model, cache: PartCache = createPartCache()): OpenAPIObject => {
  const context = createContext(model);
  const parts = model.collections.map((collection) => partsOf(collection, context, cache));
  const others = [operationPaths(context), queuePaths(model.queueModels)]
    .map(describeAllHeads)
    .map(singleTypes);
  const allPaths = [...parts.map(({ paths }) => paths), ...others];
  const webhooks = singleTypes(queueWebhooks(model.queueModels));
  const { title, version, description } = model.api;
  return {
    openapi: '3.1.0',
    info: { title, version, description },
    servers: [{ url: '/' }],
    security: openSecurity,
    tags: allTags(model),
    paths: joinPaths(allPaths),
    ...(model.queueModels.length > 0 && { webhooks }),
    components: keepReferenced(allComponents(context, parts), [...allPaths, webhooks]),
  };
};

/** Paths and schemas of one collection. */
interface CollectionParts {
  readonly paths: PathsObject;
  readonly schemas: Record<string, SchemaObject>;
  readonly responses: Record<string, ResponseObject>;
}

const partsOf = (collection: Collection, context: Context, cache: PartCache): CollectionParts =>
  cache.getOrMake(`openapi ${collection.name}`, context.identityOf, (see) => {
    see(collection.name);
    const watched = watchContext(context, see);
    return {
      paths: singleTypes(describeAllHeads(collectionPaths(collection, watched))),
      schemas: singleTypes(collectionSchemas(collection, watched)),
      responses: collectionResponses(collection, watched),
    };
  });

/** Returns all paths in their order, with the operations of those that several parts have. */
const joinPaths = (parts: readonly PathsObject[]): PathsObject => {
  const paths = new Map<string, PathItemObject>();
  for (const part of parts) {
    for (const [path, item] of Object.entries<PathItemObject>(part)) {
      const present = paths.get(path);
      paths.set(path, present === undefined ? item : { ...present, ...item });
    }
  }
  return Object.fromEntries(paths);
};

const describeAllHeads = (paths: PathsObject): PathsObject =>
  Object.fromEntries(
    Object.entries<PathItemObject>(paths).map(([path, item]) => [path, describeLongHeads(item)]),
  );

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

const allComponents = (context: Context, parts: readonly CollectionParts[]): ComponentsObject => {
  const { queueModels } = context.model;
  return {
    schemas: {
      ...Object.fromEntries(parts.flatMap(({ schemas }) => Object.entries(schemas))),
      ...singleTypes({ ...querySchemas, ...operatorSchemas, ...queueSchemas(queueModels) }),
    },
    responses: {
      ...Object.fromEntries(parts.flatMap(({ responses }) => Object.entries(responses))),
      NoContent: noContent,
      NotModified: notModified,
      NotReturned: notReturned,
      RequestHeaderFieldsTooLarge: { description: 'URL and headers exceed 16 KiB.' },
      ...errorResponses(context.errors),
    },
    parameters: Object.fromEntries(
      Object.entries({ ...queryParameters, ...transferParameters }).map(([name, parameter]) => [
        parameterName(name),
        parameter,
      ]),
    ),
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
  if (queueModels.length > 0) for (const tag of [queueTag, webhookTag]) tags.set(tag, { name: tag });
  return [...tags.values()];
};
