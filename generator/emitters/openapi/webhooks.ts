/** Describes the webhooks of the queue: one for each model, sent to the URL of the submission. */
import type { ParameterObject, PathItemObject, SchemaObject } from 'openapi3-ts/oas31';
import type { QueueModel } from '../../model/types.js';
import { jsonBody } from './bodies.js';
import { ref } from './refs.js';

/** Not the tag of the queue: generators of clients make a file of each tag, and one for webhooks would replace the other. */
export const webhookTag = 'Webhook deliveries';

/** Returns the webhooks of the document by name. */
export const queueWebhooks = (models: readonly QueueModel[]): Record<string, PathItemObject> =>
  Object.fromEntries(models.map((model) => [`${model.names.type}Ended`, webhook(model)]));

const webhook = ({ access, title, names }: QueueModel): PathItemObject => ({
  post: {
    'x-svc-access': access,
    operationId: `ended${names.type}`,
    tags: [webhookTag],
    summary: `Receive the result of a request: ${title}`,
    description:
      'Sent to the URL of the submission when the request ends, until it is accepted; it may arrive more than once.',
    // the sender authenticates by its signatures
    security: [],
    parameters: signatureHeaders,
    requestBody: jsonBody(bodySchema(names.type)),
    responses: {
      '2XX': { description: 'The delivery is accepted.' },
      410: { description: 'The delivery is refused for good, and not repeated.' },
      default: { description: 'The delivery is repeated; a redirect is a refusal.' },
    },
  },
});

const header = (name: string, description: string): ParameterObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

const signatureHeaders: ParameterObject[] = [
  header('webhook-id', 'Id of the delivery, the same for every attempt.'),
  header('webhook-timestamp', 'Unix time of the attempt in seconds.'),
  header('webhook-signature', '`v1,` and an HMAC-SHA256 by each secret of the account (Standard Webhooks).'),
  header('x-svc-webhook-request-id', 'The request_id.'),
  header('x-svc-webhook-user-id', 'Id of the account.'),
  header('x-svc-webhook-timestamp', 'Unix time of the attempt in seconds.'),
  header('x-svc-webhook-signature', 'Ed25519 signature, by a key of `/.well-known/jwks.json`.'),
];

const bodySchema = (type: string): SchemaObject => ({
  type: 'object',
  properties: {
    request_id: { type: 'string', format: 'uuid' },
    gateway_request_id: { type: 'string', format: 'uuid' },
    status: { type: 'string', enum: ['OK', 'ERROR'] },
    payload: {
      description: 'The output of the model, the error, or null if the result has expired.',
      anyOf: [ref('schemas', `${type}Output`), ref('schemas', 'QueueError'), { type: 'null' }],
    },
    error: { type: ['string', 'null'], examples: ['Invalid status code: 422'] },
    payload_error: { type: 'string', description: 'Why there is no payload.' },
  },
  required: ['request_id', 'gateway_request_id', 'status', 'payload', 'error'],
});
