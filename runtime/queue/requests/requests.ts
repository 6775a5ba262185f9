/** Operations on requests, shared by all protocols. */
import type { Database } from '../../databases/contract.js';
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import type { Caller } from '../http/caller.js';
import { cancel, type Cancellation } from './cancel.js';
import type { RequestLifecycle } from './lifecycle.js';
import { findById } from '../../concurrency/batch.js';
import { isId } from '../store/ids.js';
import type { QueueModels } from '../models/models.js';
import type { Gateway } from '../temporal/gateway.js';
import type { Quotas } from './quotas.js';
import { readResult, type RequestResult } from './result.js';
import type { QueueSettings } from '../settings.js';
import { readStatus, type RequestStatus } from './status.js';
import type { LogCursor } from '../store/logs.js';
import { findRequests } from '../store/requests.js';
import type { RequestHead } from '../store/request-head.js';
import { submit, type Submission, type Submitted } from './submit.js';
import { queueError } from './queue-error.js';

export interface Requests {
  /** @throws 404 when the model does not exist or the caller may not use it */
  modelOf(name: string, caller: Caller): QueueModelDeclaration;
  /** @throws 422, 429 */
  submit(submission: Submission): Promise<Submitted>;
  /** Returns null if the request does not exist or belongs to another account. */
  find(id: string, caller: Pick<Caller, 'account'>): Promise<RequestHead | null>;
  /** @param after position after which log lines are returned, or null for none */
  status(request: RequestHead, after: LogCursor | null): Promise<RequestStatus>;
  /** @throws 400 when the request has not ended, 410 when the result has expired */
  result(request: RequestHead): Promise<RequestResult>;
  /** @throws 503 when the request is running and Temporal is unavailable */
  cancel(request: RequestHead): Promise<Cancellation>;
}

export interface RequestsOptions {
  readonly settings: QueueSettings;
  readonly database: Database;
  readonly models: QueueModels;
  readonly lifecycle: RequestLifecycle;
  readonly quotas: Quotas;
  readonly cancelWorkflow: Gateway['cancel'];
  readonly onError: (error: unknown) => void;
}

/** Creates the operations. Requests of others are reported as missing (404). */
export const createRequests = (options: RequestsOptions): Requests => {
  const { database, models } = options;
  const findHead = findById((ids) => findRequests(database, ids));
  return {
    modelOf(name, caller) {
      const model = models.find(name);
      if (model !== undefined && model.runner.kind !== 'builtIn' && caller.mayUse(model)) return model;
      throw queueError(404, `there is no model "${name.slice(0, 200)}"`);
    },
    submit: (submission) => submit(submission, options),
    async find(id, { account }) {
      const found = isId(id) ? await findHead(id) : null;
      return found?.account === account ? found : null;
    },
    status: (request, after) => readStatus(request, { ...options, after }),
    result: (request) => readResult(request, database),
    cancel: (request) => cancel(request, options),
  };
};
