/**
 * Restricts the OpenAPI document to what a caller may use. The generated document has extensions for this:
 * `x-svc-collection` on paths, together with `x-svc-action` on schemas and responses; `x-svc-access` on parts for users
 * or administrators only; `x-svc-keep` lists properties that remain for all callers.
 */
import type {
  ComponentsObject,
  OpenAPIObject,
  PathItemObject,
  PathsObject,
  TagObject,
} from 'openapi3-ts/oas31';
import type { Action } from '../access/policies.js';
import { isVisibleAt, type Visibility } from '../access/visibility.js';

type Node = Readonly<Record<string, unknown>>;

export interface Addresses {
  /** Path prefix of all routes; empty at the root. */
  readonly base: string;
  /** URLs of the queue and of synchronous model runs; `null`: below `base`. */
  readonly queueUrl: string | null;
  readonly runUrl: string | null;
}

/** Adds the URLs of this server to the document. */
export const locateOpenApi = (
  document: OpenAPIObject,
  { base, queueUrl, runUrl }: Addresses,
): OpenAPIObject => {
  const serverOf = (path: string): string | null => {
    if (path.startsWith('/queue/')) return queueUrl;
    return path.startsWith('/run/') ? runUrl : null;
  };
  const paths = Object.entries<PathItemObject>(document.paths ?? {}).map(([path, item]) => {
    const url = serverOf(path);
    return [path, url === null ? item : { ...item, servers: [{ url }] }] as const;
  });
  return {
    ...document,
    ...(base !== '' && { servers: [{ url: base }] }),
    paths: Object.fromEntries(paths),
  };
};

/**
 * Removes paths, operations, schemas, properties and filter keys that the caller may not use, and components without
 * references. Does not modify the document; the result shares parts of it.
 */
export const restrictOpenApi = (document: OpenAPIObject, visibility: Visibility): OpenAPIObject => {
  if (visibility.level === 'admin') return document;
  const pruner = createPruner(document.components ?? {}, visibility);
  const paths = Object.fromEntries(
    Object.entries<PathItemObject>(document.paths ?? {}).flatMap(([path, item]) => {
      const left = restrictPath(item, visibility, pruner.prune);
      return left === null ? [] : [[path, left] as const];
    }),
  );
  const webhooks = Object.fromEntries(
    Object.entries<PathItemObject>(document.webhooks ?? {}).flatMap(([name, item]) => {
      const left = restrictPath(item, visibility, pruner.prune);
      return left === null ? [] : [[name, left] as const];
    }),
  );
  return {
    ...document,
    tags: usedTags(document.tags ?? [], paths),
    paths,
    ...(document.webhooks !== undefined && { webhooks }),
    components: { ...document.components, ...pruner.components() },
  };
};

const actions: ReadonlyMap<string, Action> = new Map([
  ['get', 'read'],
  ['x-svc-search', 'read'],
  ['post', 'create'],
  ['put', 'update'],
  ['patch', 'update'],
  ['delete', 'delete'],
]);

type Prune = (node: unknown) => unknown;

const restrictPath = (item: PathItemObject, visibility: Visibility, prune: Prune): PathItemObject | null => {
  const collection: unknown = item['x-svc-collection'];
  const remaining = Object.entries(item).flatMap(([key, value]) => {
    const method = actions.get(key);
    if (method === undefined) return [[key, value] as const];
    // of the collection, where the path is for another action than its method says
    const action = (item['x-svc-action'] as Action | undefined) ?? method;
    if (typeof collection === 'string' && visibility.visibleNames(collection, action) === null) return [];
    const left = prune(value);
    return left === undefined ? [] : [[key, left] as const];
  });
  return remaining.some(([key]) => actions.has(key)) ? Object.fromEntries(remaining) : null;
};

const usedTags = (tags: readonly TagObject[], paths: PathsObject): TagObject[] => {
  const operations = Object.values<PathItemObject>(paths).flatMap((item) =>
    [...actions.keys()].map((method) => item[method as 'get']),
  );
  const used = new Set(operations.flatMap((operation) => operation?.tags ?? []));
  return tags.filter((tag) => used.has(tag.name));
};

const kinds = ['schemas', 'responses', 'parameters'] as const;

/** Keys whose values are data: a `$ref` in them is not a reference. */
const dataKeys = new Set(['default', 'enum', 'const', 'examples', 'required', 'tags', 'x-svc-keep']);
/** Keys of objects whose entries can be removed individually. */
const mapKeys = new Set(['properties', 'responses']);

interface Pruner {
  /** Returns the node without the parts that the caller may not see, or undefined if nothing useful remains. */
  readonly prune: Prune;
  /** Returns the components that pruned nodes reference, directly or indirectly. */
  components(): ComponentsObject;
}

const createPruner = (components: ComponentsObject, visibility: Visibility): Pruner => {
  const seen = new Set<string>();

  const isVisible = (node: Node): boolean => {
    const { 'x-svc-access': access, 'x-svc-collection': collection, 'x-svc-action': action } = node;
    if (!isVisibleAt(access, visibility.level)) return false;
    return typeof collection !== 'string' || visibility.visibleNames(collection, action as Action) !== null;
  };

  const prune: Prune = (node) => {
    if (Array.isArray(node)) return pruneList(node);
    if (!isNode(node)) return node;
    const { $ref } = node;
    if (typeof $ref !== 'string')
      return isVisible(node) ? pruneObject(withFields(node, visibility)) : undefined;
    if (!isVisible(resolve($ref, components))) return undefined;
    seen.add($ref);
    return node;
  };

  const pruneList = (list: readonly unknown[]): readonly unknown[] | undefined => {
    const pruned = list.map(prune);
    if (pruned.every((entry, index) => entry === list[index])) return list;
    const left = pruned.filter((entry) => entry !== undefined);
    return left.length === 0 ? undefined : left;
  };

  const pruneObject = (node: Node): Node | undefined => {
    const left = replaceEntries(node, (value, key) => {
      if (dataKeys.has(key)) return value;
      return mapKeys.has(key) ? replaceEntries(value as Node, prune) : prune(value);
    });
    const isWhole = Object.keys(left).length === Object.keys(node).length;
    return isWhole ? repairSchema(left) : undefined;
  };

  return {
    prune,
    components() {
      const pruned = new Map<string, unknown>();
      // a Set also iterates over entries that are added during the loop
      for (const pointer of seen) pruned.set(pointer, prune(resolve(pointer, components)));
      return Object.fromEntries(
        kinds.map((kind) => [
          kind,
          replaceEntries(components[kind] ?? {}, (_, name) => pruned.get(`#/components/${kind}/${name}`)),
        ]),
      );
    },
  };
};

/** Maps the entries of an object; undefined removes one. Returns the same object if nothing changes. */
const replaceEntries = (node: Node, change: (value: unknown, key: string) => unknown): Node => {
  const entries = Object.entries(node).map(([key, value]) => [key, change(value, key)] as const);
  if (entries.every(([key, value]) => value === node[key])) return node;
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
};

const resolve = (pointer: string, components: ComponentsObject): Node => {
  const [, , kind, name] = pointer.split('/');
  return (components[kind as (typeof kinds)[number]]?.[name ?? ''] ?? {}) as Node;
};

/** Restricts the schema of a collection to the fields of the caller. */
const withFields = (schema: Node, visibility: Visibility): Node => {
  const { 'x-svc-collection': collection, 'x-svc-action': action, properties } = schema;
  if (typeof collection !== 'string' || !isNode(properties)) return schema;
  const fields = visibility.visibleNames(collection, action as Action);
  if (fields === null) return schema;
  const keep = asNames(schema['x-svc-keep']);
  const isRow = action === 'read' && schema['x-svc-keep'] === undefined;
  const partial = isRow ? visibility.conditionalNames(collection) : noNames;
  const restricted = replaceEntries(properties, (property, name) => {
    if (fields !== '*' && !fields.has(name) && !fields.has(ownerOf(name)) && !keep.includes(name))
      return undefined;
    return partial.has(name) ? orNull(property as Node) : property;
  });
  return restricted === properties ? schema : { ...schema, properties: restricted };
};

/** Returns the many-to-any relation of a target such as `item:works`. */
const ownerOf = (name: string): string => name.split(':', 1)[0] ?? name;

const noNames: ReadonlySet<string> = new Set();

/** Makes a schema nullable. A schema without a type already allows null, as a choice does. */
const orNull = (schema: Node): Node => {
  const { type, enum: values } = schema;
  if (type === undefined || [type].flat().includes('null')) return schema;
  return {
    ...schema,
    type: [type, 'null'].flat(),
    ...(Array.isArray(values) && { enum: [...values, null] }),
  };
};

/**
 * Makes a schema consistent after properties were removed. The schema of a collection drops them from `required` and
 * its examples; any other object without a required property is removed. A choice with one option is replaced by it.
 */
const repairSchema = (node: Node): Node | undefined => {
  const { properties, required, examples } = node;
  if (!isNode(properties)) return unwrapChoice(node);
  const isPresent = (name: string): boolean => Object.hasOwn(properties, name);
  const isComplete = asNames(required).every(isPresent);
  if (node['x-svc-collection'] === undefined) return isComplete ? node : undefined;
  return {
    ...node,
    ...(Array.isArray(required) && { required: asNames(required).filter(isPresent) }),
    ...(Array.isArray(examples) && { examples: examples.map((example: Node) => pick(example, isPresent)) }),
  };
};

const unwrapChoice = (schema: Node): Node => {
  for (const key of ['oneOf', 'anyOf']) {
    const choice = schema[key];
    if (Array.isArray(choice) && choice.length === 1) {
      const { [key]: _, ...rest } = schema;
      return { ...rest, ...choice[0] };
    }
  }
  return schema;
};

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

const asNames = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as string[]) : []);

const pick = (from: Node, wanted: (name: string) => boolean): Node =>
  Object.fromEntries(Object.entries(from).filter(([name]) => wanted(name)));
