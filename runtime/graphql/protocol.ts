/**
 * Implements the GraphQL over HTTP specification: POST with JSON, GET for queries. Behaves as `graphql-http`, whose
 * audit is part of the tests, but responds with bytes and includes a code in every error.
 */
import { apiError, invalidPayload } from '../../contract/errors.js';
import { isObject } from '../../contract/objects.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { refuseDryRun } from '../request/dry-run.js';
import { refuseIfMatch } from '../request/if-match.js';
import { hasLoneSurrogate, loneSurrogate, readJson } from '../request/body.js';

/** A GraphQL request. */
export interface GraphqlCall {
  readonly document: string;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
  /** True where the request is a GET, which must not run mutations. */
  readonly isReadOnly: boolean;
}

/** Reads the call from a request. @throws UNSUPPORTED_MEDIA_TYPE, INVALID_PAYLOAD, CONTENT_TOO_LARGE */
export const readCall = async (request: ApiRequest): Promise<GraphqlCall> => {
  refuseDryRun(request);
  refuseIfMatch(request);
  if (request.method === 'POST') return toCall(await readBody(request), false);
  return toCall(readQueryString(request.query), true);
};

/** Creates the error for a method that the path, or the kind of document, does not take. */
export const methodNotAllowed = (allowed: readonly string[], current: string): Error =>
  apiError('METHOD_NOT_ALLOWED', { allowed, current }, `allowed here: ${allowed.join(', ')}`);

const readBody = async (request: ApiRequest): Promise<unknown> => {
  if (/^\s*application\/graphql\s*(;|$)/i.test(String(request.headers['content-type'] ?? ''))) {
    throw invalidPayload('application/graphql is not supported; send {"query": "…"} as application/json');
  }
  return readJson(request);
};

const readQueryString = (text: string): unknown => {
  const parameters = new URLSearchParams(text);
  const given = (name: string): string | undefined => parameters.get(name) ?? undefined;
  return {
    query: given('query'),
    operationName: given('operationName'),
    variables: parseParameter(given('variables'), 'variables'),
    extensions: parseParameter(given('extensions'), 'extensions'),
  };
};

const parseParameter = (text: string | undefined, name: string): unknown => {
  if (text === undefined || text === '') return undefined;
  if (hasLoneSurrogate(text)) throw invalidPayload(`"${name}" has ${loneSurrogate}`);
  try {
    return JSON.parse(text);
  } catch {
    throw invalidPayload(`"${name}" is not valid JSON`);
  }
};

const toCall = (body: unknown, isReadOnly: boolean): GraphqlCall => {
  if (!isObject(body)) throw invalidPayload('expected one object with "query"; batches are not supported');
  const { query, operationName = null, variables = null, extensions = null } = body;
  if (typeof query !== 'string' || query === '') throw invalidPayload('"query" must be a GraphQL document');
  if (operationName !== null && typeof operationName !== 'string') {
    throw invalidPayload('"operationName" must be a string');
  }
  if (variables !== null && !isObject(variables)) throw invalidPayload('"variables" must be an object');
  if (extensions !== null && !isObject(extensions)) throw invalidPayload('"extensions" must be an object');
  return { document: query, operationName, variables: variables ?? {}, isReadOnly };
};

const json = 'application/json; charset=utf-8';
const graphqlJson = 'application/graphql-response+json; charset=utf-8';

/** Returns the media type that `Accept` names first of the two that GraphQL uses; JSON by default. */
export const contentTypeFor = ({ headers }: Pick<ApiRequest, 'headers'>): string => {
  const accept = String(headers.accept ?? '');
  const own = accept.indexOf('application/graphql-response+json');
  const plain = accept.search(/application\/json|application\/\*|\*\/\*/);
  return own !== -1 && (plain === -1 || own < plain) ? graphqlJson : json;
};

/** Creates the response of a document that ran, errors or not: its status is 200. */
export const respondWith = (
  body: Buffer | string,
  contentType: string,
  reply: Pick<ApiResponse, 'headers' | 'cookies'> | null,
): ApiResponse => ({
  status: 200,
  headers: { 'content-type': contentType, ...reply?.headers },
  ...(reply !== null && { cookies: reply.cookies }),
  body,
});
