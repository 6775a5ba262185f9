/** Rejections and failures have a reason. */
import { createClient, QueueError, type Client, type InputProblem } from 'content-api-client';
import { exactly } from './exactly.js';

const failureOf = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof QueueError)) return String(error);
    exactly<readonly InputProblem[]>()(error.problems);
    return [error.status, error.requestId !== null, error.problems.map(({ type }) => type), error.message];
  }
};

const unknown = '00000000-0000-4000-8000-000000000000';

export const run = async (api: Client, url: string) => {
  const faulty = { width: 1 } as unknown as { prompt: string };
  return [
    await failureOf(api.queue.subscribe('demo/image', faulty)),
    await failureOf(api.queue.run('demo/image', faulty)),
    await failureOf(api.queue.submit('demo/image', faulty, { webhook: 'http://10.0.0.1/', startTimeout: 0 })),
    await failureOf(api.queue.status('demo/image', unknown)),
    await failureOf(api.queue.submit('demo/none' as 'demo/image', { prompt: 'a' })),
    await failureOf(createClient({ url }).queue.submit('demo/image', { prompt: 'a' })),
  ];
};

const problems = ['value_error.missing', 'value_error.number.not_ge'];
const text = 'body.prompt: field required\nbody.width: ensure this value is greater than or equal to 16';

export const expected = [
  [422, true, problems, text],
  [422, true, problems, text],
  [
    422,
    false,
    ['value_error.webhook', 'value_error.request_start_timeout'],
    'query.svc_webhook: the address is not a public one\nheader.X-Svc-Request-Start-Timeout: expected seconds, more than 0.1',
  ],
  [404, false, [], 'NOT_FOUND'],
  [404, false, [], 'there is no model "demo/none"'],
  [401, false, [], 'an API key is required: Authorization: Key <id>:<secret>'],
];
