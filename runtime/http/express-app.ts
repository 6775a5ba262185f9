/** Serves all routes as an Express application, for embedding. */
import { Readable } from 'node:stream';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Route } from '../../contract/routes.js';
import type { ApiRequest } from '../request/api-request.js';
import { sendResponse, toApiRequest, type MessageOptions } from './messages.js';
import type { Responder } from './responder.js';

export type { Express };

export interface AppOptions extends MessageOptions {
  readonly respond: Responder;
  readonly routes: readonly Route[];
}

/** Creates the application. A body that the embedding application has parsed is used as it is. */
export const createApp = (options: AppOptions): Express => {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('etag', false);
  app.set('query parser', false);
  const serve = (request: Request, response: Response, next: NextFunction): void => {
    const apiRequest = withParsedBody(toApiRequest(request, response, options), request);
    options
      .respond(apiRequest)
      .then((output) => sendResponse(output, apiRequest, response))
      .catch(next);
  };
  for (const pattern of patternsOf(options.routes)) app.all(pattern, serve);
  // paths that no pattern matches or Express cannot decode also go to the router
  app.use(serve);
  app.use((error: unknown, request: Request, response: Response, next: NextFunction) =>
    error instanceof URIError ? serve(request, response, next) : next(error),
  );
  return app;
};

/**
 * Returns the paths in the syntax of Express, one for all collections and one for all models, so that embedders see them.
 */
const patternsOf = (routes: readonly Route[]): ReadonlySet<string> =>
  new Set(routes.filter(hasPattern).map(({ path }) => path.replace(/:(\w+)\+.*$/, '*$1')));

const hasPattern = ({ path, handler }: Route): boolean => {
  if (handler.kind === 'items' || handler.kind === 'transfer')
    return handler.collection === null || !path.startsWith('/items/');
  return handler.kind !== 'model' || handler.model === null;
};

/** Uses the body as parsed by the embedding application if it has already been read. */
const withParsedBody = (apiRequest: ApiRequest, request: Request): ApiRequest => {
  if (!request.readableEnded) return apiRequest;
  const toBody = () => toBytes(request.body);
  return { ...apiRequest, body: async () => toBody(), stream: () => Readable.from([toBody()]) };
};

const toBytes = (body: unknown): Buffer => {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
};
