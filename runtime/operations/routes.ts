/** Operations by method and path: the bytes of the body, identity, access, input, then the body that the spec names. */
import { requireSecondFactor, type Access, type Principal } from '../access/access.js';
import { SessionError } from '../access/credentials.js';
import { forbidden } from '../../contract/errors.js';
import type { Operations } from '../../generated/server/operations.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { openContext, type OpenedContext, type OperationContext } from './context.js';
import { findOperation, methodsAt, type FoundOperation, type OperationEntry } from './entries.js';
import { readInput } from './input.js';

export interface OperationRoutes {
  find(request: ApiRequest): OperationRoute | null;
  /** Methods that a path has. */
  methodsOf(path: string): readonly string[];
}

export interface OperationRoute {
  run(request: ApiRequest): Promise<ApiResponse>;
}

export const createOperationRoutes = (bodies: Operations, access: Access): OperationRoutes => ({
  find({ method, path }) {
    const found = findOperation(method, path);
    return found === null ? null : { run: (request) => run(found, request, { bodies, access }) };
  },
  methodsOf: methodsAt,
});

interface Parts {
  readonly bodies: Operations;
  readonly access: Access;
}

const run = async (
  found: FoundOperation,
  request: ApiRequest,
  { bodies, access }: Parts,
): Promise<ApiResponse> => {
  const { entry } = found;
  const { context, reply } = openContext(request, access);
  // it may take its time: what the caller may do is asked when all of it is there
  if (entry.body !== undefined) await request.body();
  await requireCaller(entry, context);
  const input = await readInput(found, request);
  // the table and the interface are printed from the same spec
  const body = bodies[entry.id] as (input: unknown, context: unknown) => Promise<unknown>;
  return respond(entry, await body(input, context), reply);
};

/** @throws whatever keeps the caller out */
export const requireCaller = async (entry: OperationEntry, context: OperationContext): Promise<void> => {
  if (entry.access === 'open') return;
  try {
    requireAccess(entry, await context.principal());
  } catch (error) {
    if (!(error instanceof SessionError && isWithoutSession(entry.id))) throw error;
  }
};

/** Whoever comes with the cookie of a session that is over can begin another one, and end what is left of it. */
const withoutSession: ReadonlySet<string> = new Set<OperationEntry['id']>([
  'authProviders',
  'authLogin',
  'authLoginProvider',
  'authLoginRedirect',
  'authLoginCallback',
  'authRefresh',
  'authLogout',
  'authPasswordRequest',
  'authPasswordReset',
]);

export const isWithoutSession = (id: string): boolean => withoutSession.has(id);

/** @throws FORBIDDEN */
const requireAccess = ({ id, access }: Pick<OperationEntry, 'id' | 'access'>, principal: Principal): void => {
  if (access === 'public') return;
  if (!beforeSecondFactor.has(id)) requireSecondFactor(principal);
  if (access === 'admin' && !principal.policies.admin)
    throw forbidden('this operation is for administrators');
  if (access === 'user' && principal.user === null) throw forbidden('this operation is for users');
};

/** What users may do before they have turned on one-time passwords, beside what everybody may. */
const beforeSecondFactor: ReadonlySet<OperationEntry['id']> = new Set(['usersMe']);

/** Where an operation knows several statuses, its body says which. */
const respond = (entry: OperationEntry, output: unknown, reply: OpenedContext['reply']): ApiResponse => {
  const statuses = Object.keys(entry.responses);
  const isSingle = statuses.length === 1;
  const { status, body } = isSingle
    ? { status: Number(statuses[0]), body: output }
    : (output as { readonly status: number; readonly body: unknown });
  const contentType = entry.responses[status] ?? null;
  return {
    status,
    headers: {
      ...(contentType === null ? {} : { 'content-type': `${contentType}; charset=utf-8` }),
      ...reply.headers,
    },
    cookies: reply.cookies,
    body: contentType === null ? null : printBody(contentType, body),
  };
};

const printBody = (contentType: string, body: unknown): string | Buffer => {
  if (contentType === 'application/json') return JSON.stringify(body);
  return Buffer.isBuffer(body) ? body : String(body);
};
