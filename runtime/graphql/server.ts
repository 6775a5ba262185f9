/** Serves requests to `/graphql` and `/graphql/system`. The first request loads this module. */
import { untilConfirmed } from '../access/confirmation.js';
import type { Access } from '../access/access.js';
import type { Principal } from '../access/principal.js';
import { clearedCookies, SessionError, type SameSite } from '../access/credentials.js';
import { ApiError, ApiErrors, forbidden } from '../../contract/errors.js';
import { createContext, type ItemServices } from '../items/context.js';
import { openContext, type OpenedContext } from '../operations/context.js';
import type { IsOutdated } from '../request/outdated-schema.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { respondError } from '../response/respond.js';
import type { CompiledOperation } from './compile.js';
import { createDocuments, type Documents } from './document-cache.js';
import { executeOperation } from './execute.js';
import type { OperationHandlers } from './operations.js';
import { contentTypeFor, methodNotAllowed, readCall, respondWith, type GraphqlCall } from './protocol.js';
import { createViews, type Scope, type Views } from './schema.js';

export interface GraphqlOptions extends ItemServices, OperationHandlers {
  readonly access: Access;
  /** Folder with `items.graphql` and `system.graphql`. */
  readonly folder: string;
  readonly introspection: boolean;
  /** Attribute of the cookies of sessions. */
  readonly cookieSameSite: SameSite;
  /** Maximum number of lexical tokens of a document. */
  readonly maxTokens: number;
  /** Reports an unexpected error to the log and returns the error for the client. */
  reportError(error: unknown, request: ApiRequest): ApiError;
  readonly isOutdated: IsOutdated;
}

export interface GraphqlServer {
  respond(request: ApiRequest, scope: Scope): Promise<ApiResponse>;
  /** Prints the schema that a caller may use. @throws FORBIDDEN when introspection is disabled */
  print(scope: Scope, principal: Principal): Promise<string>;
}

/**
 * Creates the server of both schemas, whose documents are cached by set of policies, compiled, from their second use on.
 */
export const createGraphqlServer = (options: GraphqlOptions): GraphqlServer => {
  const { folder, registry, introspection } = options;
  const context = {
    ...options,
    views: createViews({ folder, registry }),
    documents: createDocuments(options),
  };
  return {
    async respond(request, scope) {
      const contentType = contentTypeFor(request);
      try {
        return await run({ request, scope, contentType }, context);
      } catch (error) {
        if (!(error instanceof ApiError || error instanceof ApiErrors)) throw error;
        const response = respondError(error);
        const headers = { ...response.headers, 'content-type': contentType };
        return { ...response, headers, cookies: clearedCookies(error, options.cookieSameSite) };
      }
    },
    print(scope, principal) {
      if (!introspection) throw forbidden('introspection is disabled');
      return context.views.print(scope, principal);
    },
  };
};

interface ServerContext extends GraphqlOptions {
  readonly views: Views;
  readonly documents: Documents;
}

interface RunOptions {
  readonly request: ApiRequest;
  readonly scope: Scope;
  readonly contentType: string;
}

const run = async (
  { request, scope, contentType }: RunOptions,
  server: ServerContext,
): Promise<ApiResponse> => {
  const call = await readCall(request);
  const { body, reply } = await untilConfirmed(() => runOnce({ request, scope, call }, server));
  return respondWith(body, contentType, reply);
};

interface RunOutput {
  readonly body: Buffer | string;
  /** Headers and cookies that operations have set. */
  readonly reply: OpenedContext['reply'] | null;
}

interface RunInput {
  readonly request: ApiRequest;
  readonly scope: Scope;
  readonly call: GraphqlCall;
}

/**
 * Runs the call: queries while the principal is being confirmed, mutations only after it. Returns null if the principal
 * is outdated and the call must be run again.
 */
const runOnce = async (input: RunInput, server: ServerContext): Promise<RunOutput | null> => {
  const { request, call } = input;
  const { access } = server;
  const caller = await identify(request, access);
  const { principal } = caller;
  const confirmed = Promise.resolve(access.confirm(principal));
  // awaited below; until then a rejection must not count as unhandled
  confirmed.catch(() => undefined);
  try {
    const operation = await compile(input, caller, server);
    if (operation.isMutation && call.isReadOnly) throw methodNotAllowed(['POST'], request.method);
    const roots = operation.prepare(call.variables);
    if (operation.isMutation && !(await confirmed)) return null;
    let opened: OpenedContext | null = null;
    const openOnce = () => (opened ??= openContext(request, { access })).context;
    const context = Object.assign(createContext(server, principal, request), { operation: openOnce });
    const body = await server.admission.run(
      () =>
        executeOperation(operation, roots, {
          context,
          reportError: (error) => server.reportError(error, request),
          isOutdated: (error) => server.isOutdated(error, request),
        }),
      context.caller,
    );
    const reply = replyOf(opened);
    return operation.isMutation || (await confirmed) ? { body, reply } : null;
  } catch (error) {
    if (await confirmed) throw error;
    return null;
  }
};

interface Caller {
  readonly principal: Principal;
  /** The reason for which the session cookie was not accepted; the principal is public then. */
  readonly sessionError: SessionError | null;
}

const identify = async (request: ApiRequest, access: Access): Promise<Caller> => {
  try {
    return { principal: await access.identify(request), sessionError: null };
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    const withoutCookie = { ...request, headers: { ...request.headers, cookie: undefined } };
    return { principal: await access.identify(withoutCookie), sessionError: error };
  }
};

/**
 * Compiles the document for the caller. With an invalid session cookie, only operations that need no session are
 * compiled, for the public; for all others the error of the session is thrown.
 */
const compile = async (
  { scope, call }: RunInput,
  { principal, sessionError }: Caller,
  { views, documents }: ServerContext,
): Promise<CompiledOperation> => {
  try {
    const operation = documents.compile(call, await views.of(scope, principal));
    if (sessionError === null || operation.isWithoutSession) return operation;
  } catch (error) {
    throw sessionError ?? error;
  }
  throw sessionError;
};

const replyOf = (opened: OpenedContext | null): OpenedContext['reply'] | null => opened?.reply ?? null;
