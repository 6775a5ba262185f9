/** Types and builders of routes. The router is compiled from the generated table, `generated/server/routes.ts`. */
import type { OperationAccess } from './operation.js';

/** SEARCH reads a list with the query in the body. HEAD and OPTIONS are derived and not listed. */
export type Method = 'GET' | 'SEARCH' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `permission`: callers with a permission on the collection; `signature`: holders of a signed URL. */
export type RouteAccess = OperationAccess | 'permission' | 'signature';

export interface Route {
  readonly method: Method;
  /**
   * Percent-encoded segments and parameters: `:id` matches one segment, `:model+` one or more; literal segments take
   * precedence over both.
   */
  readonly path: string;
  /** Id of the operation, as in `openapi.json` if that describes it. */
  readonly operation: string;
  readonly access: RouteAccess;
  readonly handler: RouteHandler;
}

export type RouteHandler =
  /** `collection` null: an unknown collection, whose name is in the path. */
  | { readonly kind: 'items'; readonly collection: string | null; readonly action: ItemAction }
  | { readonly kind: 'transfer'; readonly collection: string | null; readonly action: TransferAction }
  /** Handled by the operation of the same id in `runtime/operations`. */
  | { readonly kind: 'operation' }
  | { readonly kind: 'graphql'; readonly scope: 'items' | 'system' }
  /** `model` null: the model whose id is in the path. */
  | { readonly kind: 'model'; readonly model: string | null; readonly action: ModelAction }
  | { readonly kind: 'files' }
  | { readonly kind: 'signingKeys' }
  | { readonly kind: 'page'; readonly page: Page };

export type ItemAction =
  | 'list'
  | 'search'
  | 'create'
  | 'updateMany'
  | 'deleteMany'
  | 'read'
  | 'update'
  | 'delete'
  | 'readSingleton'
  | 'searchSingleton'
  | 'updateSingleton';

/** Work on a collection that runs as a request of the queue. */
export type TransferAction = 'import' | 'export';

export type ModelAction = 'submit' | 'result' | 'status' | 'stream' | 'cancel' | 'run';

export type Page =
  | 'index'
  | 'docs'
  | 'docsAsset'
  | 'graphiql'
  | 'graphiqlSystem'
  | 'operator'
  | 'resetPassword';

type Line = `${Method} /${string}`;

interface RouteOptions extends Pick<Route, 'operation' | 'access'> {
  /** Default: the handler of the spec's operation. */
  readonly handler?: RouteHandler;
}

/** Declares one route. @param line `GET /server/ping` */
export const route = (
  line: Line,
  { operation, access, handler = { kind: 'operation' } }: RouteOptions,
): Route => {
  const [method, path] = line.split(' ') as [Method, string];
  return { method, path, operation, access, handler };
};

/** Returns the names of a path's parameters, in order. */
export const parameterNames = (path: string): readonly string[] =>
  Array.from(path.matchAll(/\/:(\w+)/g), ([, name = '']) => name);

/** The properties of a collection that determine its routes. */
export interface ItemsSubject {
  /** `null`: any name that no collection has. */
  readonly name: string | null;
  readonly path: string | null;
  readonly key: readonly unknown[];
  readonly singleton?: boolean;
  readonly readonly?: boolean;
}

type Action = readonly [method: Method, action: ItemAction, operation: string];

const reading: readonly Action[] = [
  ['GET', 'list', 'list'],
  ['SEARCH', 'search', 'search'],
];
const writing: readonly Action[] = [
  ['POST', 'create', 'create'],
  ['PATCH', 'updateMany', 'updateMany'],
  ['DELETE', 'deleteMany', 'deleteMany'],
];
const readingOne: readonly Action[] = [['GET', 'read', 'read']];
const writingOne: readonly Action[] = [
  ['PATCH', 'update', 'update'],
  ['DELETE', 'delete', 'delete'],
];
const singleton: readonly Action[] = [
  ['GET', 'readSingleton', 'read'],
  ['SEARCH', 'searchSingleton', 'search'],
  ['PATCH', 'updateSingleton', 'update'],
];
const singletonByKey: readonly Action[] = [
  ['GET', 'read', 'readByKey'],
  ['DELETE', 'delete', 'delete'],
];

/** Returns the actions on the collection itself, and on one item by its key. */
const actionsOf = (subject: ItemsSubject): readonly [readonly Action[], readonly Action[]] => {
  if (subject.key.length === 0) return [reading, []];
  if (subject.readonly === true) return [reading, readingOne];
  if (subject.singleton === true) return [singleton, singletonByKey];
  return [
    [...reading, ...writing],
    [...readingOne, ...writingOne],
  ];
};

/** Returns which files a collection is read from and written to. */
const transfersOf = ({ key, readonly, singleton: isSingleton }: ItemsSubject): readonly TransferAction[] => {
  if (isSingleton === true) return [];
  return key.length === 0 || readonly === true ? ['export'] : ['import', 'export'];
};

/**
 * Lists the routes of a collection: its list and its items; only reads of a list where it has no key.
 * @param stem suffix of its operation ids: `Album` in `listAlbum`
 */
export const itemRoutes = (subject: ItemsSubject, stem: string): readonly Route[] => {
  const { name: collection, path } = subject;
  if (path === null) return [];
  const [ofList, ofItem] = actionsOf(subject);
  const transfers = path.startsWith('/items/') ? transfersOf(subject) : [];
  const toRoute =
    (at: string) =>
    ([method, action, operation]: Action): Route => ({
      method,
      path: at,
      operation: `${operation}${stem}`,
      access: 'permission',
      handler: { kind: 'items', collection, action },
    });
  return [
    ...ofList.map(toRoute(path)),
    ...ofItem.map(toRoute(`${path}/:id`)),
    ...transfers.map((action) =>
      route(`POST ${path as `/${string}`}/${action}`, {
        operation: `${action}${stem}`,
        access: 'permission',
        handler: { kind: 'transfer', collection, action },
      }),
    ),
  ];
};

/** Routes of unknown collections, which respond like forbidden ones so that names cannot be probed. */
export const unknownCollectionRoutes: readonly Route[] = itemRoutes(
  { name: null, path: '/items/:collection', key: ['id'] },
  'UnknownCollection',
);

interface ModelOptions {
  readonly access: 'user' | 'admin';
  /** Suffix of its operation ids: `DemoImage` in `submitDemoImage`. */
  readonly stem: string;
}

const requestActions: readonly (readonly [line: string, action: ModelAction])[] = [
  ['GET ', 'result'],
  ['GET /status', 'status'],
  ['GET /status/stream', 'stream'],
  ['PUT /cancel', 'cancel'],
];

/** Lists the routes of a queue model. @param id `demo/image` */
export const modelRoutes = (id: string, { access, stem }: ModelOptions): readonly Route[] =>
  routesOfModel(id, { model: id, access, stem });

const routesOfModel = (
  path: string,
  { model, access, stem }: ModelOptions & { readonly model: string | null },
): readonly Route[] => {
  const toRoute = (line: Line, action: ModelAction): Route =>
    route(line, { operation: action + stem, access, handler: { kind: 'model', model, action } });
  return [
    toRoute(`POST /queue/${path}`, 'submit'),
    ...requestActions.map(([line, action]) => {
      const [method = '', rest = ''] = line.split(' ');
      return toRoute(`${method} /queue/${path}/requests/:request_id${rest}` as Line, action);
    }),
    toRoute(`POST /run/${path}`, 'run'),
  ];
};

/** Requests of removed models or with a shortened id in the path, and the alternative URL of results. */
export const anyModelRoutes: readonly Route[] = [
  ...routesOfModel(':model+', { model: null, access: 'user', stem: 'AnyModel' }),
  route('GET /queue/:model+/requests/:request_id/response', {
    operation: 'responseAnyModel',
    access: 'user',
    handler: { kind: 'model', model: null, action: 'result' },
  }),
];
