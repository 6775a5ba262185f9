/** Describes the paths of the spec's operations. */
import type { OperationObject, ParameterObject, PathsObject, ResponseObject } from 'openapi3-ts/oas31';
import type { ErrorEntry, Operation, OperationParameter, OperationResponse } from '../../model/types.js';
import { jsonBody } from './bodies.js';
import type { Context } from './context.js';
import { errorRefs } from './errors.js';
import { tokenSecurity } from './security.js';

/** Returns the paths of all operations; operations on the same path share an entry. */
export const operationPaths = (context: Context): PathsObject => {
  const paths = new Map<string, Record<string, OperationObject>>();
  for (const operation of context.model.operations) {
    const { path, method } = operation;
    paths.set(path, { ...paths.get(path), [method]: operationObject(operation, context) });
  }
  return Object.fromEntries(paths);
};

const operationObject = (operation: Operation, context: Context): OperationObject => ({
  ...(needsToken(operation) && { 'x-svc-access': operation.access }),
  operationId: operation.id,
  tags: [operation.tag],
  summary: operation.summary,
  description: aboutAccess[operation.access],
  ...(operation.parameters.length > 0 && { parameters: operation.parameters.map(parameterObject) }),
  ...(operation.body !== null && {
    requestBody: jsonBody(operation.body, Array.isArray(operation.body.required)),
  }),
  responses: {
    ...Object.fromEntries(operation.responses.map((response) => [response.status, responseObject(response)])),
    ...errorRefs(context.errors, errorStatusesOf(operation, context)),
  },
  ...(needsToken(operation) && { security: tokenSecurity }),
});

const needsToken = ({ access }: Operation): boolean => access === 'user' || access === 'admin';

const aboutAccess: Readonly<Record<Operation['access'], string>> = {
  open: 'Requires no authentication.',
  public: 'Requires no authentication; a token that is sent must be valid.',
  user: 'Requires the token of a user.',
  admin: 'Requires the token of an administrator.',
};

const parameterObject = ({
  name,
  required,
  description,
  schema,
  ...rest
}: OperationParameter): ParameterObject => ({
  name,
  in: rest.in,
  required,
  description,
  schema,
});

const responseObject = ({ description, contentType, schema }: OperationResponse): ResponseObject => ({
  description,
  ...(contentType !== null && { content: { [contentType]: schema === null ? {} : { schema } } }),
});

/** Errors of every operation: its query string is read before anything else. */
const common: readonly ErrorEntry['code'][] = ['INVALID_QUERY'];
/** Errors of the rate limiter, which applies to all operations with authentication. */
const limited: readonly ErrorEntry['code'][] = ['REQUESTS_EXCEEDED'];

/** Returns the error statuses of an operation, except for those that it describes itself. */
const errorStatusesOf = (operation: Operation, { model }: Context): number[] => {
  const codes = new Set([...operation.errors, ...common, ...(operation.access === 'open' ? [] : limited)]);
  const own = new Set(operation.responses.map((response) => response.status));
  const statuses = model.errors.filter((entry) => codes.has(entry.code)).map((entry) => entry.status);
  return [...new Set(statuses)].filter((status) => !own.has(status)).sort((a, b) => a - b);
};
