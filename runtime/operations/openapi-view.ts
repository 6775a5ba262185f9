/**
 * The OpenAPI document as one caller may see it. The generated document marks what belongs to which collection:
 * `x-svc-collection` on paths, together with `x-svc-action` on schemas and responses; `x-svc-access` on what only
 * users or administrators have; `x-svc-keep` names properties that stay whatever the caller's fields are.
 */
import type {
  ComponentsObject,
  OpenAPIObject,
  PathItemObject,
  PathsObject,
  TagObject,
} from 'openapi3-ts/oas31';
import type { Action } from '../access/policies.js';
import type { Visibility } from '../access/visibility.js';

type Node = Readonly<Record<string, unknown>>;

export interface Addresses {
  /** Path that comes before everything; empty at the root. */
  readonly base: string;
  /** Of the queue, and of models that are run at once; `null`: below that path, as everything else. */
  readonly queueUrl: string | null;
  readonly runUrl: string | null;
}

/** The document with the addresses of this server. */
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
 * Drops paths, operations, schemas, properties and filter keys that the caller may not use, and components that
 * nothing refers to any more. The document given stays as it is; parts of it are shared with the result.
 */
export const restrictOpenApi = (document: OpenAPIObject, visible: Visibility): OpenAPIObject => {
  if (visible.level === 'admin') return document;
  const pruner = createPruner(document.components ?? {}, visible);
  const paths = Object.fromEntries(
    Object.entries<PathItemObject>(document.paths ?? {}).flatMap(([path, item]) => {
      const left = narrowPath(item, visible, pruner.prune);
      return left === null ? [] : [[path, left] as const];
    }),
  );
  return {
    ...document,
    tags: usedTags(document.tags ?? [], paths),
    paths,
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

const narrowPath = (item: PathItemObject, visible: Visibility, prune: Prune): PathItemObject | null => {
  const collection: unknown = item['x-svc-collection'];
  const kept = Object.entries(item).flatMap(([key, value]) => {
    const action = actions.get(key);
    if (action === undefined) return [[key, value] as const];
    if (typeof collection === 'string' && visible.can(collection, action) === null) return [];
    const left = prune(value);
    return left === undefined ? [] : [[key, left] as const];
  });
  return kept.some(([key]) => actions.has(key)) ? Object.fromEntries(kept) : null;
};

const usedTags = (tags: readonly TagObject[], paths: PathsObject): TagObject[] => {
  const operations = Object.values<PathItemObject>(paths).flatMap((item) =>
    [...actions.keys()].map((method) => item[method as 'get']),
  );
  const used = new Set(operations.flatMap((operation) => operation?.tags ?? []));
  return tags.filter((tag) => used.has(tag.name));
};

const kinds = ['schemas', 'responses', 'parameters'] as const;

/** Values, not structure: a `$ref` in here is data. */
const dataKeys = new Set(['default', 'enum', 'const', 'examples', 'required', 'tags', 'x-svc-keep']);
/** Objects whose entries can be left out one by one. */
const mapKeys = new Set(['properties', 'responses']);

interface Pruner {
  /** The node without what the caller may not see; `undefined` when nothing useful is left. */
  readonly prune: Prune;
  /** What pruned nodes refer to, and what that refers to. */
  components(): ComponentsObject;
}

const createPruner = (components: ComponentsObject, visible: Visibility): Pruner => {
  const seen = new Set<string>();

  const isVisible = (node: Node): boolean => {
    const { 'x-svc-access': access, 'x-svc-collection': collection, 'x-svc-action': action } = node;
    if (access === 'admin' || (access === 'user' && visible.level === 'public')) return false;
    return typeof collection !== 'string' || visible.can(collection, action as Action) !== null;
  };

  const prune: Prune = (node) => {
    if (Array.isArray(node)) return pruneList(node);
    if (!isObject(node)) return node;
    const { $ref } = node;
    if (typeof $ref !== 'string') return isVisible(node) ? pruneObject(withFields(node, visible)) : undefined;
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
    return isWhole ? settle(left) : undefined;
  };

  return {
    prune,
    components() {
      const pruned = new Map<string, unknown>();
      // a Set also visits what is added on the way
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

/** Values become what `change` makes of them, `undefined` leaves them out. The same object where nothing changes. */
const replaceEntries = (node: Node, change: (value: unknown, key: string) => unknown): Node => {
  const entries = Object.entries(node).map(([key, value]) => [key, change(value, key)] as const);
  if (entries.every(([key, value]) => value === node[key])) return node;
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
};

const resolve = (pointer: string, components: ComponentsObject): Node => {
  const [, , kind, name] = pointer.split('/');
  return (components[kind as (typeof kinds)[number]]?.[name ?? ''] ?? {}) as Node;
};

/** A collection's schema with the caller's fields only. */
const withFields = (schema: Node, visible: Visibility): Node => {
  const { 'x-svc-collection': collection, 'x-svc-action': action, properties } = schema;
  if (typeof collection !== 'string' || !isObject(properties)) return schema;
  const fields = visible.can(collection, action as Action);
  if (fields === null) return schema;
  const keep = asNames(schema['x-svc-keep']);
  const isRow = action === 'read' && schema['x-svc-keep'] === undefined;
  const partial = isRow ? visible.partial(collection) : nothing;
  const narrowed = replaceEntries(properties, (property, name) => {
    if (fields !== '*' && !fields.has(name) && !keep.includes(name)) return undefined;
    return partial.has(name) ? orNull(property as Node) : property;
  });
  return narrowed === properties ? schema : { ...schema, properties: narrowed };
};

const nothing: ReadonlySet<string> = new Set();

/** A choice has null among its types already, a schema without type allows anything. */
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
 * What follows from properties that are gone. A collection's schema asks for the others only; any other object
 * could no longer be given. A choice of one is no choice.
 */
const settle = (node: Node): Node | undefined => {
  const { properties, required, examples } = node;
  if (!isObject(properties)) return unwrapChoice(node);
  const isThere = (name: string): boolean => Object.hasOwn(properties, name);
  const isComplete = asNames(required).every(isThere);
  if (node['x-svc-collection'] === undefined) return isComplete ? node : undefined;
  return {
    ...node,
    ...(Array.isArray(required) && { required: asNames(required).filter(isThere) }),
    ...(Array.isArray(examples) && { examples: examples.map((example: Node) => pick(example, isThere)) }),
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

const isObject = (value: unknown): value is Node => typeof value === 'object' && value !== null;

const asNames = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as string[]) : []);

const pick = (from: Node, wanted: (name: string) => boolean): Node =>
  Object.fromEntries(Object.entries(from).filter(([name]) => wanted(name)));
