/** The schemas of the queue: input and output of each model, and those that all models share. */
import type { SchemaObject } from 'openapi3-ts/oas31';
import type { JsonSchema, QueueModel } from '../../model/types.js';
import { jsonText } from './bodies.js';
import { ref } from './refs.js';

type Schemas = Record<string, SchemaObject>;

const asSchema = (schema: JsonSchema): SchemaObject => schema as SchemaObject;

/** Returns `<Type>Input` and `<Type>Output` of every model, and the schemas that all models share. */
export const queueSchemas = (models: readonly QueueModel[]): Schemas =>
  Object.assign({}, ...models.map(modelSchemas), sharedSchemas);

const modelSchemas = ({ names, input, output }: QueueModel): Schemas => ({
  [`${names.type}Input`]: asSchema(input),
  [`${names.type}Output`]: asSchema(output),
});

const uri: SchemaObject = { type: 'string', format: 'uri' };

const requestLinks: Schemas = {
  request_id: { type: 'string', format: 'uuid' },
  status_url: uri,
  response_url: uri,
  cancel_url: uri,
};

const logEntry: SchemaObject = {
  type: 'object',
  properties: {
    message: { type: 'string' },
    level: { type: 'string', enum: ['DEBUG', 'INFO', 'WARN', 'ERROR', 'STDOUT', 'STDERR'] },
    source: { type: 'string' },
    timestamp: { type: 'string', format: 'date-time' },
  },
  required: ['message', 'level', 'source', 'timestamp'],
};

/** Returns the schema of an error that is a status instead of a detail. */
const outcome = (status: string, errorType: string): SchemaObject => ({
  type: 'object',
  properties: { status: { type: 'string', const: status }, error_type: { type: 'string', const: errorType } },
  required: ['status', 'error_type'],
});

const sharedSchemas: Schemas = {
  QueueSubmission: {
    type: 'object',
    properties: {
      ...requestLinks,
      gateway_request_id: { type: 'string', format: 'uuid' },
      status: { type: 'string', const: 'IN_QUEUE' },
      queue_position: { type: 'integer', minimum: 0 },
    },
    required: [...Object.keys(requestLinks), 'gateway_request_id', 'status', 'queue_position'],
  },
  QueueStatus: {
    type: 'object',
    properties: {
      ...requestLinks,
      status: { type: 'string', enum: ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED'] },
      queue_position: { type: 'integer', minimum: 0, description: 'Requests before this one.' },
      progress: {
        type: 'integer',
        minimum: 0,
        maximum: 100,
        description: 'Per cent of an import or export that is done.',
      },
      logs: { type: ['array', 'null'], items: logEntry },
      logs_cursor: { type: 'string', description: 'Position of the last line, for `after`.' },
      metrics: {
        type: 'object',
        properties: { inference_time: { type: ['number', 'null'], description: 'Seconds.' } },
      },
      error: { type: 'string', description: 'Why a request that has ended has no result.' },
      error_type: { type: 'string' },
      expires_at: {
        type: ['string', 'null'],
        format: 'date-time',
        description: 'Until when the result is kept.',
      },
    },
    required: [...Object.keys(requestLinks), 'status', 'logs'],
  },
  QueueEvent: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'Position in the log, for `Last-Event-ID`.' },
      data: jsonText(ref('schemas', 'QueueStatus')),
    },
    required: ['data'],
  },
  QueueCancellation: {
    type: 'object',
    properties: { status: { type: 'string', enum: ['OK', 'CANCELLATION_REQUESTED'] } },
    required: ['status'],
  },
  QueueCancellationRefused: outcome('ALREADY_COMPLETED', 'already_completed'),
  QueueRequestNotFound: outcome('NOT_FOUND', 'not_found'),
  QueueError: {
    type: 'object',
    properties: {
      detail: {
        oneOf: [
          { type: 'string' },
          {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                loc: { type: 'array', items: { type: 'string' } },
                msg: { type: 'string' },
                type: { type: 'string' },
              },
              required: ['loc', 'msg', 'type'],
            },
          },
        ],
      },
      error_type: { type: 'string' },
    },
    required: ['detail'],
  },
};
