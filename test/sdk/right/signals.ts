/** Every call is given up when its signal is aborted, and fails with the reason of the signal. */
import { createClient, type CallOptions, type Client } from 'content-api-client';

type Give = (api: Client, options: CallOptions) => Promise<unknown>;

/** Too long for a URL. */
const names = { _in: Array.from({ length: 300 }, (_, index) => `name ${index}`) };

const calls: readonly Give[] = [
  (api, options) => api.items('Album').list({}, options),
  (api, options) => api.items('Album').list({ filter: { Title: names } }, options),
  (api, options) => api.items('Album').get(1, {}, options),
  (api, options) => api.items('Album').get(1, { deep: { Track: { _filter: { Name: names } } } }, options),
  (api, options) => api.items('Artist').create({ Name: 'x' }, {}, options),
  (api, options) => api.items('Artist').createMany([{ Name: 'x' }], {}, options),
  (api, options) => api.items('Artist').update(1, { Name: 'x' }, {}, options),
  (api, options) => api.items('Artist').updateMany({ keys: [1], data: { Name: 'x' } }, {}, options),
  (api, options) => api.items('Artist').delete(1, options),
  (api, options) => api.items('Artist').deleteMany([1], options),
  (api, options) => api.items('Artist').import(new Blob(['Name\nx']), { format: 'csv', ...options }),
  (api, options) => api.items('Artist').export('csv', {}, options),
  (api, options) => api.items('Artist').download('csv', {}, options),
  (api, options) => api.queue.submit('demo/image', { prompt: 'x' }, options),
  (api, options) => api.queue.status('demo/image', 'an-id', options),
  (api, options) => api.queue.result('demo/image', 'an-id', options),
  (api, options) => api.queue.cancel('demo/image', 'an-id', options),
  (api, options) => api.server.ping(options),
  (api, options) => api.keys.list({}, options),
  (api, options) => api.graphql('{ Album { Title } }', {}, options),
  (api, options) => api.graphql('{ server_ping }', {}, { ...options, schema: 'system' }),
];

const abortWhileUnderWay = async (give: Give, url: string): Promise<unknown> => {
  const controller = new AbortController();
  const api = createClient({
    url,
    // never answers, and ends as `fetch` does
    fetch: (input, init) =>
      new Promise((_, reject) => {
        const request = new Request(input, init);
        // a call without the signal fails, instead of waiting for ever; the timer also keeps the request and its signal in memory
        const timer = setTimeout(() => reject(new Error(`${request.url} was not given up`)), 5_000);
        request.signal.addEventListener('abort', () => {
          clearTimeout(timer);
          reject(request.signal.reason);
        });
        setTimeout(() => controller.abort('not wanted'));
      }),
  });
  return give(api, { signal: controller.signal }).catch((reason: unknown) => reason);
};

export const run = async (_: Client, url: string) =>
  Promise.all(calls.map(async (give) => String(await abortWhileUnderWay(give, url))));

export const expected = calls.map(() => 'not wanted');
