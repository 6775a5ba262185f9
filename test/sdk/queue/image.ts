/** Input and output have the types of the model. */
import type { Client, ModelOutput } from 'content-api-client';
import { exactly } from './exactly.js';

export const run = async (api: Client) => {
  const input = { prompt: 'A lighthouse in the fog', seed: 7, width: 16, height: 24 };
  const now = await api.queue.run('demo/image', input);
  exactly<ModelOutput<'demo/image'>>()(now);
  exactly<number | undefined>()(now.images[0]?.file_size);
  const later = await api.queue.subscribe('demo/image', input, { tags: { made: 'by a test' } });
  const [request] = await api.requests.list({ model: 'demo/image', limit: 1 });
  return [
    now.seed,
    now.images[0]?.height,
    later.images[0]?.file_size === now.images[0]?.file_size,
    request?.tags,
  ];
};

export const expected = [7, 24, true, { made: 'by a test' }];
