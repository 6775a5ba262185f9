/** Describes the paths of the spec's operations. */
import type {
  OperationObject,
  ParameterObject,
  PathsObject,
  RequestBodyObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import type {
  ErrorEntry,
  JsonSchema,
  Operation,
  OperationParameter,
  OperationResponse,
} from '../../model/types.js';
import { closedObject, fileTypes, jsonBody } from './bodies.js';
import type { Context } from './context.js';
import { errorRefs } from './errors.js';
import { tokenOrKeySecurity, tokenSecurity } from './security.js';
import { withoutTabs } from './text.js';

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
  ...(operation.body !== null && { requestBody: requestBody(operation.body, operation) }),
  ...(operation.file !== null && {
    requestBody: { required: true, content: { 'multipart/form-data': formOf(operation.file) } },
  }),
  responses: {
    ...Object.fromEntries(operation.responses.map((response) => [response.status, responseObject(response)])),
    ...errorRefs(context.errors, errorStatusesOf(operation, context)),
  },
  ...(needsToken(operation) && { security: operation.acceptsKey ? tokenOrKeySecurity : tokenSecurity }),
});

const needsToken = ({ access }: Operation): boolean => access !== 'open' && access !== 'public';
/** Describes a body, which may also come as a file. */
const requestBody = (schema: NonNullable<Operation['body']>, { upload }: Operation): RequestBodyObject => {
  const body = jsonBody(schema, upload || Array.isArray(schema.required));
  if (!upload) return body;
  const form = formOf('The same as JSON or YAML');
  return { ...body, content: { ...body.content, 'multipart/form-data': form } };
};

/** A form with one file. */
const formOf = (description: string) => ({
  schema: closedObject({ file: { type: 'string', format: 'binary', description } }, ['file']),
});

const aboutAccess: Readonly<Record<Operation['access'], string>> = {
  open: 'Requires no authentication.',
  public: 'Requires no authentication; a token that is sent must be valid.',
  user: 'Requires the token of a user.',
  operator: 'Requires the token of an operator: a user with a policy that has `operator_access`.',
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
  schema: withoutTabs(schema as SchemaObject),
});

const responseObject = ({
  description,
  contentType,
  schema,
  downloads = [],
}: OperationResponse): ResponseObject => ({
  description,
  ...(contentType !== null && {
    content: {
      ...Object.fromEntries(
        downloads.map((type) => [type, fileTypes.includes(type) ? {} : { schema: withoutEnvelope(schema) }]),
      ),
      [contentType]:
        schema === null
          ? {}
          : {
              schema: downloads.includes(contentType) ? { anyOf: [schema, withoutEnvelope(schema)] } : schema,
            },
    },
  }),
});

const withoutEnvelope = (schema: JsonSchema | null): SchemaObject => {
  const { properties } = (schema ?? {}) as { readonly properties?: { readonly data?: JsonSchema } };
  return properties?.data ?? {};
};

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
