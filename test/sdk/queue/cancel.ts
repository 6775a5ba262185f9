/** Aborting a wait cancels the request. */
import { QueueError, type Client } from 'content-api-client';

const endless = { model_name: 'sea', prompt: 'The sea', steps: 5_000, pause: 0.02 };

const failureOf = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    return await call;
  } catch (error) {
    return error instanceof QueueError
      ? [error.status, error.errorType, error.message]
      : (error as Error).name;
  }
};

const untilEnded = async (api: Client, id: string): Promise<void> => {
  for await (const { status } of api.queue.stream('demo/train', id)) if (status === 'COMPLETED') return;
};

export const run = async (api: Client) => {
  const controller = new AbortController();
  let id = '';
  const abandoned = await failureOf(
    api.queue.subscribe('demo/train', endless, {
      signal: controller.signal,
      logs: true,
      onSubmit: (made) => (id = made),
      onUpdate: ({ status }) => status === 'IN_PROGRESS' && controller.abort(),
    }),
  );
  await untilEnded(api, id);
  const result = await failureOf(api.queue.result('demo/train', id));
  const again = await failureOf(api.queue.cancel('demo/train', id));

  const { request_id: other } = await api.queue.submit('demo/train', endless);
  const early = await failureOf(api.queue.result('demo/train', other));
  const cancelled = await api.queue.cancel('demo/train', other);
  return [abandoned, result, again, early, ['OK', 'CANCELLATION_REQUESTED'].includes(cancelled)];
};

export const expected = [
  'AbortError',
  [499, 'client_cancelled', 'The request was cancelled'],
  [400, 'already_completed', 'ALREADY_COMPLETED'],
  [400, 'bad_request', 'Request is still in progress'],
  true,
];
