/** A key is for the queue alone, and for the models it names; revoking it acts at once. */
import { createClient, QueueError, type Client } from 'content-api-client';

const statusOf = (call: Promise<unknown>): Promise<number> =>
  call.then(
    () => 200,
    (error: unknown) => (error instanceof QueueError ? error.status : 0),
  );

export const run = async (api: Client, url: string) => {
  const { id, key } = await api.keys.create({ name: 'test', models: ['demo/image'] });
  const other = createClient({ url, key });
  const image = { prompt: 'sea', width: 16, height: 16 };
  const once = { idempotencyKey: `for ${id}`, priority: 'low', retry: false, storeIo: false } as const;
  const first = await other.queue.submit('demo/image', image, once);
  const second = await other.queue.submit('demo/image', image, once);
  const statuses = [
    await statusOf(other.queue.submit('demo/image', { ...image, seed: 1 }, once)),
    await statusOf(other.queue.submit('demo/train', { model_name: 'm', prompt: 'sea' })),
    await statusOf(other.queue.run('demo/image', image)),
  ];
  const listed = (await api.keys.list()).some((each) => each.id === id);
  await api.keys.revoke({ id });
  return [
    first.request_id === second.request_id,
    listed,
    ...statuses,
    await statusOf(other.queue.run('demo/image', image)),
  ];
};

export const expected = [true, true, 422, 404, 200, 401];
