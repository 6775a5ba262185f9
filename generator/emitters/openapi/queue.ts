/** Describes the paths of the queue: five for each model, and one that runs it synchronously. */
import type { OperationObject, ParameterObject, PathsObject, SchemaObject } from 'openapi3-ts/oas31';
import type { QueueModel } from '../../model/types.js';
import { jsonBody, jsonContent } from './bodies.js';
import { ref } from './refs.js';
import { keySecurity } from './security.js';

export const queueTag = 'Queue';

/** Describes the paths of each model under its own id, since the schemas of input and output differ. */
export const queuePaths = (models: readonly QueueModel[]): PathsObject =>
  Object.assign({}, ...models.map(modelPaths));

const modelPaths = (model: QueueModel): PathsObject => {
  const request = `/queue/${model.id}/requests/{request_id}`;
  const parameters = [requestId];
  return {
    [`/queue/${model.id}`]: { post: submit(model) },
    [request]: { parameters, get: result(model) },
    [`${request}/status`]: { parameters, get: status(model) },
    [`${request}/status/stream`]: { parameters, get: stream(model) },
    [`${request}/cancel`]: { parameters, put: cancel(model) },
    [`/run/${model.id}`]: { post: run(model) },
  };
};

const header = (name: string, description: string, schema: SchemaObject): ParameterObject => ({
  name,
  in: 'header',
  description,
  schema,
});

const query = (name: string, description: string, schema: SchemaObject): ParameterObject => ({
  name,
  in: 'query',
  description,
  schema,
});

const requestId: ParameterObject = {
  name: 'request_id',
  in: 'path',
  required: true,
  description: 'Id from the response of the submission.',
  schema: { type: 'string', format: 'uuid' },
};

const logs = query('logs', 'Whether to return the log lines of the model.', {
  type: 'string',
  enum: ['0', '1', 'false', 'true'],
});

const after = query('after', 'The `logs_cursor` of an earlier status, to return only later lines.', {
  type: 'string',
  examples: ['1.17'],
});

const lifecycle = header(
  'X-Svc-Object-Lifecycle-Preference',
  "JSON with the lifetime of the result's files in seconds, up to the maximum of the server.",
  { type: 'string', examples: ['{"expiration_duration_seconds":3600}'] },
);

/** Parameters of a submission to the queue. */
export const submitParameters: ParameterObject[] = [
  query('svc_webhook', 'URL that receives the result as a signed POST request.', {
    type: 'string',
    format: 'uri',
  }),
  query('svc_max_queue_length', 'Rejects the request with 429 if more requests are waiting.', {
    type: 'integer',
    minimum: 0,
  }),
  header('Idempotency-Key', 'A second submission with the same key and body returns the same request.', {
    type: 'string',
    minLength: 1,
    maxLength: 255,
  }),
  header('X-Svc-Request-Start-Timeout', 'Seconds within which processing must start.', {
    type: 'number',
    exclusiveMinimum: 0.1,
  }),
  header('X-Svc-Queue-Priority', '`low` starts after all requests with `normal`.', {
    type: 'string',
    enum: ['normal', 'low'],
  }),
  header('X-Svc-No-Retry', '`1` disables retries of attempts that fail because of the platform.', {
    type: 'string',
  }),
  header('X-Svc-Store-IO', '`0` deletes input and result after the result is delivered.', {
    type: 'string',
  }),
  lifecycle,
  header('X-Svc-Tags', 'Up to ten comma-separated `key=value` pairs.', { type: 'string' }),
];

const describe = (
  { access, names }: QueueModel,
  id: string,
  parts: Omit<OperationObject, 'responses'>,
): Omit<OperationObject, 'responses'> => ({
  'x-svc-access': access,
  operationId: `${id}${names.type}`,
  tags: [queueTag],
  security: keySecurity,
  ...parts,
});

const response = (description: string, name: string) => ({
  description,
  content: jsonContent(ref('schemas', name)),
});

/** Errors of every path of the queue. */
const commonErrorResponses = {
  401: response('The key is missing, unknown, revoked or expired.', 'QueueError'),
  403: response('The account has to set up one-time passwords first.', 'QueueError'),
  429: response('Too many requests, or no capacity for this one.', 'QueueError'),
  500: response('An unexpected error occurred.', 'QueueError'),
  503: response('The database cannot be reached.', 'QueueError'),
};

/** Errors of what takes an input. */
const inputErrorResponses = {
  ...commonErrorResponses,
  400: response('The body is not JSON, or a header is invalid.', 'QueueError'),
  404: response('The model does not exist.', 'QueueError'),
  413: response('The body is too large.', 'QueueError'),
  415: response('The body is not JSON.', 'QueueError'),
};

/** Errors of everything that is done with a request. */
const requestErrorResponses = {
  ...commonErrorResponses,
  400: response('The query string or a header is invalid.', 'QueueError'),
  404: response('The request does not exist.', 'QueueRequestNotFound'),
};

const modelError = {
  description: 'Another error that the model returned.',
  content: { 'application/json': {} },
};

const cursorError = response('The value of `after` is not a cursor.', 'QueueError');

const submit = (model: QueueModel): OperationObject => ({
  ...describe(model, 'submit', {
    summary: `Queue a request: ${model.title}`,
    description: model.description,
    parameters: submitParameters,
    requestBody: jsonBody(ref('schemas', `${model.names.type}Input`)),
  }),
  responses: {
    200: response('The request is queued.', 'QueueSubmission'),
    ...inputErrorResponses,
    410: response('The request of the idempotency key has expired.', 'QueueError'),
    422: response('The webhook or the idempotency key is invalid.', 'QueueError'),
    429: response('More requests are waiting than a quota or `svc_max_queue_length` allows.', 'QueueError'),
  },
});

const status = (model: QueueModel): OperationObject => ({
  ...describe(model, 'status', {
    summary: `Read the status of a request: ${model.title}`,
    parameters: [logs, after],
  }),
  responses: {
    200: response('The request has ended.', 'QueueStatus'),
    202: response('The request is waiting or running.', 'QueueStatus'),
    ...requestErrorResponses,
    422: cursorError,
  },
});

const stream = (model: QueueModel): OperationObject => ({
  ...describe(model, 'stream', {
    summary: `Follow a request: ${model.title}`,
    description:
      'Server-sent events with the status as data, and with new log lines only. Ends with the request.',
    parameters: [logs, after],
  }),
  responses: {
    200: {
      description: 'Events; the schema is that of each.',
      content: { 'text/event-stream': { schema: ref('schemas', 'QueueEvent') } },
    },
    ...requestErrorResponses,
    422: cursorError,
  },
});

const result = (model: QueueModel): OperationObject => ({
  ...describe(model, 'result', { summary: `Read the result of a request: ${model.title}` }),
  responses: {
    200: response('The output of the model.', `${model.names.type}Output`),
    ...requestErrorResponses,
    400: response('The request has not ended, or the query string or a header is invalid.', 'QueueError'),
    410: response('The result has expired.', 'QueueError'),
    422: response('The input does not match the schema of the model.', 'QueueError'),
    499: response('The request was cancelled.', 'QueueError'),
    504: response('Processing did not start or end in time.', 'QueueError'),
    default: modelError,
  },
});

const cancel = (model: QueueModel): OperationObject => ({
  ...describe(model, 'cancel', { summary: `Cancel a request: ${model.title}` }),
  responses: {
    200: response('The request was waiting and is removed.', 'QueueCancellation'),
    202: response('The request is running and will be stopped.', 'QueueCancellation'),
    ...requestErrorResponses,
    400: {
      description: 'The request has already ended, or the query string or a header is invalid.',
      content: jsonContent({
        anyOf: [ref('schemas', 'QueueCancellationRefused'), ref('schemas', 'QueueError')],
      }),
    },
  },
});

const run = (model: QueueModel): OperationObject => ({
  ...describe(model, 'run', {
    summary: `Run synchronously: ${model.title}`,
    description: `${model.description} Runs without the queue, retries and webhooks. Closing the connection cancels it.`,
    parameters: [lifecycle],
    requestBody: jsonBody(ref('schemas', `${model.names.type}Input`)),
  }),
  responses: {
    200: response('The output of the model.', `${model.names.type}Output`),
    ...inputErrorResponses,
    422: response('The input does not match the schema of the model.', 'QueueError'),
    429: response('The maximum number of concurrent runs is reached.', 'QueueError'),
    499: response('The caller closed the connection.', 'QueueError'),
    504: response('Processing did not start or end in time.', 'QueueError'),
    default: modelError,
  },
});
