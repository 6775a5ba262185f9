/** The actions on requests, shared by the routes of the queue, operations and transfers. */
import type { Database } from '../../databases/contract.js';
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
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

/** An authenticated caller; requests belong to the account (the user), whichever key was used. */
export interface Caller {
  readonly account: string;
  /** Patterns of the models that the key is limited to; null for every model. */
  readonly models: readonly string[] | null;
  /** Returns whether the caller may submit requests to a model. */
  mayUse(model: QueueModelDeclaration): boolean;
  /** Returns whether the caller may see requests of the model with this id, which may have been removed. */
  maySee(model: string): boolean;
}

/** The actions on requests, each of which checks its caller or takes a request that was found for one. */
export interface Requests {
  /** Returns the model of an id. @throws 404 when it does not exist or the caller may not use it */
  modelOf(name: string, caller: Caller): QueueModelDeclaration;
  /** Stores a request. @throws 422, 410, 429 as `submit` in `submit.ts` */
  submit(submission: Submission): Promise<Submitted>;
  /** Returns null if the request does not exist or belongs to another account. */
  find(id: string, caller: Pick<Caller, 'account'>): Promise<RequestHead | null>;
  /**
   * Returns the status of a request, with its position while it waits.
   * @param after position after which log lines are returned, or null for none
   */
  status(request: RequestHead, after: LogCursor | null): Promise<RequestStatus>;
  /** Returns the result of a request. @throws 400 when it has not ended, 410 when the result has expired */
  result(request: RequestHead): Promise<RequestResult>;
  /** Cancels a request. @throws 503 when it is running and Temporal is unavailable */
  cancel(request: RequestHead): Promise<Cancellation>;
}

/** Services of a process that the actions use. */
export interface RequestsOptions {
  readonly settings: QueueSettings;
  readonly database: Database;
  readonly models: QueueModels;
  readonly lifecycle: RequestLifecycle;
  readonly quotas: Quotas;
  readonly cancelWorkflow: Gateway['cancel'];
  readonly onError: (error: unknown) => void;
}

/** Creates the actions on requests. Requests of others are reported as missing (404). */
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
