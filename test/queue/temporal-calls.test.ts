/** The API reports how long its calls of Temporal take and how they end, as the client of the SDK has no metrics. */
import { expect, it } from 'vitest';
import type { QueueObservation } from '../../runtime/observe.js';
import { createMetrics } from '../../runtime/metrics/metrics.js';
import { printSnapshots } from '../../runtime/metrics/print.js';
import { createGateway } from '../../runtime/queue/temporal/gateway.js';
import { until } from '../until.js';
import { startTestQueue } from './harness.js';

const request = { requestId: '0190a1b2-0000-7000-8000-000000000000', round: 1 };

it('counts the starts, signals and deliveries of a server', async () => {
  const queue = await startTestQueue('sqlite');
  try {
    const body = { prompt: 'sea' };
    await queue.request('POST', '/queue/demo/image', { body, headers: queue.auth.ann });
    const call = await until(() => queue.observations.find(({ kind }) => kind === 'temporalCalled'));
    expect(call).toEqual({ kind: 'temporalCalled', call: 'start', status: 'ok', ms: expect.any(Number) });
  } finally {
    await queue.close();
  }
});

it('distinguishes a server that is away from other errors, in the metrics too', async () => {
  const observed: QueueObservation[] = [];
  const gateway = createGateway({
    address: '127.0.0.1:9',
    namespace: null,
    observe: (each) => observed.push(each),
  });
  // the second call is refused without a connection
  for (let call = 0; call < 2; call += 1)
    await expect(gateway.stateOf(request)).rejects.toThrow('Temporal at 127.0.0.1:9 does not answer');
  await gateway.close();
  const away = { kind: 'temporalCalled', call: 'state', status: 'unavailable' };
  expect(observed).toMatchObject([away, away]);
  const metrics = createMetrics({ version: 'test' });
  for (const each of observed) metrics.observe(each);
  const text = await printSnapshots([await metrics.snapshot()]);
  expect(text).toContain('svc_temporal_call_seconds_count{call="state",status="unavailable"} 2');
  metrics.close();
});
