/** Operations by method and path: identity, access, then the body that the spec names. */
import { identifyNow, type Access, type Principal } from '../access/access.js';
import { forbidden } from '../errors.js';
import { operations, type Operations } from '../../generated/server/operations.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';

/** What the body of an operation knows beside its input. */
export interface OperationContext {
  /** Who asks, as of now. Asked only where it matters: whether the server is there says it to everybody. */
  principal(): Promise<Principal>;
}

export interface OperationRoutes {
  find(request: ApiRequest): OperationRoute | null;
  /** Methods that a path has. */
  methodsOf(path: string): readonly string[];
}

export interface OperationRoute {
  run(request: ApiRequest): Promise<ApiResponse>;
}

type Entry = (typeof operations)[number];

export const createOperationRoutes = (bodies: Operations, access: Access): OperationRoutes => {
  const routes = new Map(operations.map((entry) => [`${entry.method.toUpperCase()} ${entry.path}`, entry]));
  return {
    find({ method, path }) {
      const entry = routes.get(`${method === 'HEAD' ? 'GET' : method} ${path}`);
      return entry === undefined ? null : { run: (request) => run(entry, request, { bodies, access }) };
    },
    methodsOf: (path) =>
      operations.filter((entry) => entry.path === path).map((entry) => entry.method.toUpperCase()),
  };
};

const run = async (
  entry: Entry,
  request: ApiRequest,
  { bodies, access }: { readonly bodies: Operations; readonly access: Access },
): Promise<ApiResponse> => {
  const principal = (): Promise<Principal> => identifyNow(request, access);
  if (entry.access !== 'public') requireAccess(entry.access, await principal());
  return respond(entry, await bodies[entry.id]({}, { principal }));
};

const requireAccess = (needed: string, { user, policies }: Principal): void => {
  if (needed === 'admin' && !policies.admin) throw forbidden('this operation is for administrators');
  if (needed === 'user' && user === null) throw forbidden('this operation is for users');
};

/** Where an operation knows several statuses, its body says which. */
const respond = (entry: Entry, output: unknown): ApiResponse => {
  const statuses = Object.keys(entry.responses);
  const isSingle = statuses.length === 1;
  const { status, body } = isSingle
    ? { status: Number(statuses[0]), body: output }
    : (output as { readonly status: number; readonly body: unknown });
  const contentType = (entry.responses as Readonly<Record<number, string | null>>)[status] ?? null;
  return {
    status,
    headers: contentType === null ? {} : { 'content-type': `${contentType}; charset=utf-8` },
    body:
      contentType === null ? null : contentType === 'application/json' ? JSON.stringify(body) : String(body),
  };
};
