/** A request to `/graphql` or `/graphql/system`, from identity to answer. Loaded by the first one. */
import { untilConfirmed, type Access, type Principal } from '../access/access.js';
import { endedCookies, SessionError } from '../access/credentials.js';
import { ApiError, ApiErrors, forbidden } from '../../contract/errors.js';
import { createContext, type ItemServices } from '../items/context.js';
import { openContext, type OpenedContext } from '../operations/context.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { respondError } from '../response/respond.js';
import type { CompiledOperation } from './compile.js';
import { createDocuments, type Documents } from './documents.js';
import { executeOperation } from './execute.js';
import type { OperationHandlers } from './operations.js';
import { contentTypeFor, methodNotAllowed, readCall, respondWith, type GraphqlCall } from './protocol.js';
import { createViews, type Scope, type Views } from './schema.js';

export interface GraphqlOptions extends ItemServices, OperationHandlers {
  readonly access: Access;
  /** Where `items.graphql` and `system.graphql` are. */
  readonly folder: string;
  readonly introspection: boolean;
  /** Words and signs that a document may have. */
  readonly tokens: number;
  /** What a client is told of an error that nobody expected; it is told to the log as well. */
  tell(error: unknown, request: ApiRequest): ApiError;
}

export interface GraphqlServer {
  answer(request: ApiRequest, scope: Scope): Promise<ApiResponse>;
  /** The schema of a caller. @throws FORBIDDEN where introspection is off */
  print(scope: Scope, principal: Principal): Promise<string>;
}

export const createGraphqlServer = (options: GraphqlOptions): GraphqlServer => {
  const { folder, registry, introspection } = options;
  const parts = { ...options, views: createViews({ folder, registry }), documents: createDocuments(options) };
  return {
    async answer(request, scope) {
      const contentType = contentTypeFor(request);
      try {
        return await run(request, scope, { ...parts, contentType });
      } catch (error) {
        if (!(error instanceof ApiError || error instanceof ApiErrors)) throw error;
        const response = respondError(error);
        const headers = { ...response.headers, 'content-type': contentType };
        return { ...response, headers, cookies: endedCookies(error) };
      }
    },
    print(scope, principal) {
      if (!introspection) throw forbidden('introspection is off');
      return parts.views.print(scope, principal);
    },
  };
};

interface Parts extends GraphqlOptions {
  readonly views: Views;
  readonly documents: Documents;
}

const run = async (
  request: ApiRequest,
  scope: Scope,
  parts: Parts & { readonly contentType: string },
): Promise<ApiResponse> => {
  const call = await readCall(request);
  const { body, reply } = await untilConfirmed(() => runOnce({ request, scope, call }, parts));
  return respondWith(body, parts.contentType, reply);
};

interface Done {
  readonly body: Buffer | string;
  /** What operations have set beside it. */
  readonly reply: OpenedContext['reply'] | null;
}

interface Asked {
  readonly request: ApiRequest;
  readonly scope: Scope;
  readonly call: GraphqlCall;
}

/** Reads while the principal is being confirmed, writes only after it; `null` when it no longer holds. */
const runOnce = async (asked: Asked, parts: Parts): Promise<Done | null> => {
  const { request, call } = asked;
  const { access } = parts;
  const caller = await identify(request, access);
  const { principal } = caller;
  const confirmed = access.confirm(principal);
  // its failure is met below, however late
  confirmed.catch(() => undefined);
  try {
    const operation = await compile(asked, caller, parts);
    if (operation.writes && call.readsOnly) throw methodNotAllowed(['POST'], request.method);
    const roots = operation.prepare(call.variables);
    if (operation.writes && !(await confirmed)) return null;
    let opened: OpenedContext | null = null;
    const openOnce = () => (opened ??= openContext(request, access)).context;
    const body = await executeOperation(operation, roots, {
      context: Object.assign(createContext(parts, principal, request), { operation: openOnce }),
      tell: (error) => parts.tell(error, request),
    });
    const reply = replyOf(opened);
    return operation.writes || (await confirmed) ? { body, reply } : null;
  } catch (error) {
    if (await confirmed) throw error;
    return null;
  }
};

interface Caller {
  readonly principal: Principal;
  /** Why it is nobody, although a session cookie came along. */
  readonly refusal: SessionError | null;
}

const identify = async (request: ApiRequest, access: Access): Promise<Caller> => {
  try {
    return { principal: await access.identify(request), refusal: null };
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    const withoutCookie = { ...request, headers: { ...request.headers, cookie: undefined } };
    return { principal: await access.identify(withoutCookie), refusal: error };
  }
};

/** What may be asked with a session that is over is asked as nobody; everything else is refused for it. */
const compile = async (
  { scope, call }: Asked,
  { principal, refusal }: Caller,
  { views, documents }: Parts,
): Promise<CompiledOperation> => {
  try {
    const operation = documents.compile(call, await views.of(scope, principal));
    if (refusal === null || operation.isWithoutSession) return operation;
  } catch (error) {
    throw refusal ?? error;
  }
  throw refusal;
};

const replyOf = (opened: OpenedContext | null): OpenedContext['reply'] | null => opened?.reply ?? null;
