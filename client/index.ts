export { createClient, type Client } from './client.js';
export type { TypedDocument } from './document.js';
export { ApiError, type ErrorCode, type ErrorDetails, type Problem } from './errors.js';
export type { Fields, Result } from './fields.js';
export type { Geometry } from './geometry.js';
export type { Items, SingletonItems, TableItems, ViewItems } from './items.js';
export type { CollectionName, CreateInput, Filter, Item, Key, UpdateInput } from './names.js';
export type { AggregateQuery, AggregateRow } from './aggregates.js';
export type { ListQuery } from './queries.js';
export { QueueError, type InputProblem } from './queue-error.js';
export type { ModelInput, ModelName, ModelOutput, Queue, QueueOptions, SubmitOptions } from './queue.js';
export type { LogLine, QueuedRequest, QueueStatus } from './queue-status.js';
export type { Schema } from './schema.js';
export type {
  ExportFormat,
  ExportResult,
  FileContent,
  ImportFormat,
  ImportOptions,
  ImportResult,
  StoredFile,
  Transfer,
} from './transfers.js';
export type { CallOptions, ClientOptions } from './transport.js';
export {
  createWebhookVerifier,
  WebhookError,
  type ReceivedWebhook,
  type VerifierOptions,
  type WebhookNotification,
} from './webhooks.js';
