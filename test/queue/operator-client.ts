/** Submits requests, and finds and changes them as an operator. */
import { until } from '../until.js';
import type { TestQueue } from './harness.js';

/** An action of an operator on requests, with its progress. */
export interface Action {
  readonly id: string;
  readonly state: string;
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly errors: readonly { readonly request: string; readonly message: string }[];
}

interface Submission {
  readonly body?: object;
  /** Path of the test's receiver that gets the result. */
  readonly hook?: string;
}

/** Creates the calls of an operator, and of ann, whose requests these are about. @param queueOf returns the started queue */
export const createOperator = (queueOf: () => TestQueue, as: string) => {
  const operate = (method: string, path: string, body?: object) =>
    queueOf().request(method, `/operator/${path}`, { as, ...(body !== undefined && { body }) });
  const get = async (path: string): Promise<unknown> => {
    const { status, data, text } = await operate('GET', path);
    if (status !== 200) throw new Error(`${status} ${text}`);
    return data;
  };
  const statusOf = async (id: string): Promise<string> =>
    ((await get(`requests/${id}`)) as { request: { status: string } }).request.status;
  const actionOf = async (id: string): Promise<Action> => (await get(`actions/${id}`)) as Action;
  return {
    operate,
    get,
    statusOf,
    actionOf,
    /** Submits a request of ann, and returns its id. */
    async submit(model: string, { body = {}, hook }: Submission = {}): Promise<string> {
      const { receiver, request, auth } = queueOf();
      const query = hook === undefined ? '' : `?svc_webhook=${receiver.url}${hook}`;
      const answer = await request('POST', `/queue/test/${model}${query}`, { body, headers: auth.ann });
      return (answer.body as { request_id: string }).request_id;
    },
    /** Begins an action. */
    async act(body: object): Promise<Action> {
      const { status, data, text } = await operate('POST', 'actions', body);
      if (status !== 202) throw new Error(`${status} ${text}`);
      return data as Action;
    },
    /** Waits for the end of a request. */
    untilCompleted: (id: string) => until(async () => (await statusOf(id)) === 'COMPLETED' || null),
    /** Waits for the end of an action. */
    untilEnded: ({ id }: Pick<Action, 'id'>): Promise<Action> =>
      until(async () => {
        const action = await actionOf(id);
        return action.state === 'running' ? null : action;
      }),
  };
};
