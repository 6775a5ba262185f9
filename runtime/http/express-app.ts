/** The second door: an Express application with everything that is served, for the rest of the paths and for embedders. */
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { settle, type Answer } from './respond.js';
import { sendResponse, toApiRequest, type EdgeOptions } from './messages.js';
import { apiError } from '../../contract/errors.js';
import type { OperationRoutes } from '../operations/routes.js';
import { docsAsset, docsPage } from './pages/docs.js';
import { graphiqlPage } from './pages/graphiql.js';
import { resetPasswordPage } from './pages/reset-password.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import type { Availability } from './availability.js';
import type { Observe } from '../observe.js';

export type { Express };

export interface AppOptions extends EdgeOptions {
  readonly answer: Answer;
  readonly operations: OperationRoutes;
  /** Serves `/docs` and `/graphiql`. */
  readonly explorer: boolean;
  readonly availability: Availability;
  readonly observe: Observe;
}

export const createApp = (options: AppOptions): Express => {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', false);
  app.use((request: Request, response: Response, next: NextFunction) => {
    const apiRequest = keepBody(toApiRequest(request, response, options), request);
    const answered = options.answer(apiRequest) ?? settleRest(apiRequest, options);
    answered.then((answer) => sendResponse(answer, apiRequest, response)).catch(next);
  });
  return app;
};

const settleRest = (request: ApiRequest, options: AppOptions): Promise<ApiResponse> =>
  settle(findRoute(request, options), { request, started: performance.now() }, options);

/** An embedder's parser may have read the body before: then what it made of it is the body. */
const keepBody = (apiRequest: ApiRequest, request: Request): ApiRequest => {
  if (!request.readableEnded) return apiRequest;
  return { ...apiRequest, body: async () => toBytes(request.body) };
};

const toBytes = (body: unknown): Buffer => {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
};

const findRoute = async (
  request: ApiRequest,
  { base, explorer, operations }: AppOptions,
): Promise<ApiResponse> => {
  const operation = operations.find(request);
  if (operation !== null) return operation.run(request);
  const page = await findPage(request, { base, explorer });
  if (page !== null) return page;
  throw apiError('ROUTE_NOT_FOUND', { path: request.path }, notFound(request, operations));
};

const findPage = async (
  request: ApiRequest,
  { base, explorer }: Pick<AppOptions, 'base' | 'explorer'>,
): Promise<ApiResponse | null> => {
  const { method } = request;
  if (method !== 'GET' && method !== 'HEAD') return null;
  const path = request.path.length > 1 ? request.path.replace(/\/$/, '') : request.path;
  if (path === '/reset-password') return resetPasswordPage(base);
  return explorer ? findTool(request, path, base) : null;
};

/** Pages for whoever builds on the API. */
const findTool = async (request: ApiRequest, path: string, base: string): Promise<ApiResponse | null> => {
  if (path === '/docs') return docsPage({ specUrl: `${base}/server/specs/oas`, base });
  if (path === '/graphiql') return graphiqlPage(request, `${base}/graphql`);
  if (path === '/graphiql/system') return graphiqlPage(request, `${base}/graphql/system`);
  const assets = '/docs/assets/';
  return path.startsWith(assets) ? docsAsset(path.slice(assets.length)) : null;
};

const notFound = ({ method, path }: ApiRequest, operations: OperationRoutes): string => {
  const methods = operations.methodsOf(path);
  if (methods.length > 0) return `${method} ${path} is not served; here is ${methods.join(', ')}`;
  return `${method} ${path} is not served; collections are under /items/`;
};
