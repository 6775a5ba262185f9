import { describe, expect, it } from 'vitest';
import { createCollected } from '../../../runtime/metrics/process-metrics.js';
import { families, type Family } from '../../../runtime/metrics/families.js';
import { createMetrics } from '../../../runtime/metrics/metrics.js';
import { printSnapshots } from '../../../runtime/metrics/print.js';
import { createTallies, maxLabelValues } from '../../../runtime/metrics/tallies.js';

const newMetrics = () => createMetrics({ version: '1.2.3' });

const finished = (route: string, status = 200, ms = 7) =>
  ({ kind: 'requestFinished', id: 'x', method: 'GET', route, status, ms }) as const;

/** The lines of a text that begin with a name. */
const linesOf = (text: string, name: string): readonly string[] =>
  text.split('\n').filter((line) => line.startsWith(name));

describe('metrics', () => {
  it('count requests by route, method and status, and their duration in buckets', async () => {
    const metrics = newMetrics();
    metrics.observe(finished('/items/:collection'));
    metrics.observe(finished('/items/:collection', 403, 300));
    const text = await printSnapshots([await metrics.snapshot()]);
    expect(linesOf(text, 'svc_http_requests_total')).toEqual([
      'svc_http_requests_total{route="/items/:collection",method="GET",status="200"} 1',
      'svc_http_requests_total{route="/items/:collection",method="GET",status="403"} 1',
    ]);
    const duration = linesOf(text, 'svc_http_request_duration_seconds');
    expect(duration).toContain(
      'svc_http_request_duration_seconds_bucket{le="0.01",route="/items/:collection",method="GET"} 1',
    );
    expect(duration).toContain(
      'svc_http_request_duration_seconds_bucket{le="+Inf",route="/items/:collection",method="GET"} 2',
    );
    expect(duration).toContain(
      'svc_http_request_duration_seconds_sum{route="/items/:collection",method="GET"} 0.307',
    );
    metrics.close();
  });

  it('count a duration in the first bucket that it does not exceed', async () => {
    const metrics = newMetrics();
    for (const ms of [10, 10.001]) metrics.observe(finished('/a', 200, ms));
    const buckets = linesOf(
      await printSnapshots([await metrics.snapshot()]),
      'svc_http_request_duration_seconds_bucket',
    );
    const upTo = (bound: string) =>
      buckets
        .find((line) => line.includes(`le="${bound}"`))
        ?.split(' ')
        .at(-1);
    expect([upTo('0.005'), upTo('0.01'), upTo('0.025')]).toEqual(['0', '1', '2']);
    metrics.close();
  });

  it('limit the values of a label without losing counts', async () => {
    const metrics = newMetrics();
    const routes = maxLabelValues * 3;
    for (let index = 0; index < routes; index += 1) metrics.observe(finished(`/route/${index}`));
    const family = (await metrics.snapshot()).find(({ name }) => name === 'svc_http_requests_total');
    const values = family?.values ?? [];
    expect(values).toHaveLength(maxLabelValues + 1);
    expect(values.at(-1)?.labels).toMatchObject({ route: 'other' });
    expect(values.reduce((sum, { value }) => sum + value, 0)).toBe(routes);
    metrics.close();
  });

  it('limit the values of the last label too', () => {
    const tallies = createTallies();
    for (let status = 0; status < maxLabelValues * 3; status += 1)
      tallies.add('httpRequests', ['/', 'GET', String(status)]);
    const values = tallies.snapshot()[0]?.values ?? [];
    expect(values).toHaveLength(maxLabelValues + 1);
    expect(values.at(-1)).toMatchObject({ labels: { status: 'other' }, value: maxLabelValues * 2 });
  });

  it('of two processes are added, except values whose sum means nothing', async () => {
    const [one, other] = [newMetrics(), newMetrics()];
    one.observe(finished('/a'));
    other.observe(finished('/a'));
    one.observe({ kind: 'accessReloaded', version: '7', ms: 1 });
    other.observe({ kind: 'accessReloaded', version: '9', ms: 1 });
    const text = await printSnapshots([await one.snapshot(), await other.snapshot()]);
    expect(text).toContain('svc_http_requests_total{route="/a",method="GET",status="200"} 2');
    expect(text).toContain('svc_access_version 7\n');
    expect(text).toContain('svc_processes 2\n');
    expect(text).toContain('svc_build_info{version="1.2.3"} 1\n');
    one.close();
    other.close();
  });

  it('of a process that has ended stay counted, without its gauges', async () => {
    const collected = createCollected();
    for (const [id, count] of [
      [1, 3],
      [2, 4],
      [3, 5],
    ] as const) {
      const metrics = newMetrics();
      for (let index = 0; index < count; index += 1) metrics.observe(finished('/a'));
      collected.take(id, await metrics.snapshot());
      metrics.close();
    }
    collected.end(1);
    collected.end(2);
    const text = await printSnapshots(collected.snapshots());
    expect(text).toContain('svc_http_requests_total{route="/a",method="GET",status="200"} 12');
    expect(text).toContain('svc_http_request_duration_seconds_count{route="/a",method="GET"} 12');
    expect(text).toContain('svc_processes 1\n');
  });

  it('count operations in flight', async () => {
    const metrics = newMetrics();
    const track = metrics.tracked(() => () => undefined);
    const [first] = [track('GET /a'), track('GET /b')];
    first?.();
    expect(await printSnapshots([await metrics.snapshot()])).toContain('svc_http_in_flight 1\n');
    metrics.close();
  });

  it('count the streams that are open, and attempts that ended with their worker', async () => {
    const metrics = newMetrics();
    for (const kind of ['streamOpened', 'streamOpened', 'streamEnded'] as const) metrics.observe({ kind });
    metrics.observe({ kind: 'attemptLost', model: 'a/b' });
    const text = await printSnapshots([await metrics.snapshot()]);
    expect(text).toContain('svc_streams_open 1\n');
    expect(text).toContain('svc_runs_total{model="a/b",outcome="lost"} 1\n');
    metrics.close();
  });

  it('begin at 0 where an alert needs the first increase', async () => {
    const metrics = newMetrics();
    metrics.observe({ kind: 'linesLost', request: 'r', model: 'a/b', lines: 3 });
    metrics.beginModels(['a/b', 'c/d']);
    metrics.beginWebhooks();
    const text = await printSnapshots([await metrics.snapshot()]);
    const zeros = Array.from(text.matchAll(/^(\S+) 0$/gm), ([, series]) => series);
    expect(zeros).toEqual(
      expect.arrayContaining([
        'svc_process_restarts_total{cause="stall"}',
        'svc_process_restarts_total{cause="exit"}',
        'svc_runs_total{model="a/b",outcome="ok"}',
        'svc_runs_total{model="a/b",outcome="error"}',
        'svc_runs_total{model="c/d",outcome="error"}',
        'svc_log_lines_lost_total{model="c/d"}',
        'svc_webhook_attempts_total{outcome="ok"}',
      ]),
    );
    expect(text).toContain('svc_log_lines_lost_total{model="a/b"} 3\n');
    metrics.close();
  });

  it('omit only the gauges that cannot be read', async () => {
    const metrics = newMetrics();
    metrics.watch(() => Promise.reject(new Error('the database is away')));
    metrics.watch(({ set }) => set('poolWaiting', [], 3));
    expect(await printSnapshots([await metrics.snapshot()])).toContain('svc_db_pool_waiting 3\n');
    metrics.close();
  });

  const all: readonly Family[] = Object.values(families);

  it.each(all)('$name has the name that Prometheus expects, and no label without a bound', (family) => {
    const { name, type, labels } = family;
    const suffix = { counter: '_total', histogram: '_seconds', gauge: '' }[type];
    expect(name).toMatch(new RegExp(`^(svc|process|nodejs)_[a-z0-9_]+${suffix}$`));
    for (const label of labels) expect(label).not.toMatch(/account|user|url|host|request|id$/);
  });
});
