/** A request is followed from wherever its id is known. */
import type { Client, QueueStatus } from 'content-api-client';
import { exactly } from './exactly.js';

export const run = async (api: Client) => {
  const input = { model_name: 'sea', prompt: 'The sea', steps: 30, pause: 0.02 };
  const { request_id: id, status, queue_position: position } = await api.queue.submit('demo/train', input);
  exactly<'IN_QUEUE'>()(status);
  const states = new Set<QueueStatus['status']>();
  const messages: string[] = [];
  for await (const update of api.queue.stream('demo/train', id, { logs: true })) {
    states.add(update.status);
    messages.push(...(update.logs ?? []).map(({ message }) => message));
  }
  const { steps } = await api.queue.result('demo/train', id);
  const end = await api.queue.status('demo/train', id);
  const time = end.status === 'COMPLETED' ? end.metrics.inference_time : null;
  return {
    position,
    ended: states.has('COMPLETED'),
    logged: messages.length > 0 && new Set(messages).size === messages.length,
    steps,
    time: typeof time,
    logs: end.logs,
  };
};

export const expected = { position: 0, ended: true, logged: true, steps: 30, time: 'number', logs: null };
