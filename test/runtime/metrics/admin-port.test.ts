import { createServer as createHttp2Server } from 'node:http2';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { describe, expect, inject, it } from 'vitest';
import { checkTemporal } from '../../../runtime/processes/health.js';
import { createTestDatabase } from '../../databases.js';
import { createNamespace } from '../../queue/namespaces.js';
import { reservePort } from '../../services/ports.js';
import { systemTemplate } from '../../templates.js';
import { until } from '../../until.js';
import type { Running } from '../commands.js';
import { copySystemTables } from '../harness/bootstrapped.js';
import { adminToken } from '../harness/rows.js';
import { startSwitchProxy, type SwitchProxy } from '../harness/switch-proxy.js';
import { useWorkplaces } from '../harness/workplaces.js';

const newWorkplace = useWorkplaces();

/** Has a server listen; one without a handler takes connections and says nothing. */
const listen = async (server: Server): Promise<{ readonly address: string; close(): void }> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, close: () => void server.close() };
};

const served = async (running: Running): Promise<string> =>
  (await running.until(/(http:\/\/127\.0\.0\.1:\d+)\/items/))[1] ?? '';

const admin = { authorization: `Bearer ${adminToken}` };

const readText = async (port: number, path: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).text();

/** Cuts a process off from a server and lets it through again, which `/ready` tells each time. */
const expectFollowed = async (proxy: SwitchProxy, port: number): Promise<void> => {
  const says = (text: string): Promise<unknown> =>
    until(async () => (await readText(port, '/ready')) === text);
  proxy.cut();
  await says('not ready\n');
  await proxy.restore();
  await says('ready\n');
};

const countOf = (text: string, series: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')[1] ?? 0,
  );

const pings = 'svc_http_requests_total{route="/server/ping",method="GET",status="200"}';

const ping = async (url: string, count: number): Promise<void> => {
  // connections of their own go to different processes
  const headers = { connection: 'close' };
  for (let index = 0; index < count; index += 1)
    await (await fetch(`${url}/server/ping`, { headers })).text();
};

describe('ADMIN_PORT of svc start', () => {
  it('shows the sums of all processes, which survive the end of one, and the health of each part', async () => {
    const place = newWorkplace();
    await copySystemTables(place);
    const port = await reservePort();
    const silent = await listen(createServer());
    const running = place.start(['start', '--workers', '2'], {
      PORT: '0',
      ADMIN_PORT: String(port),
      LOG_LEVEL: 'debug',
      TEMPORAL_ADDRESS: silent.address,
    });
    const url = await served(running);
    await running.until(/request process \d+ is ready[\s\S]*request process (\d+) is ready/);
    await ping(url, 20);
    await (await fetch(`${url}/users?limit=1`, { headers: admin })).text();
    const before = await readText(port, '/metrics');
    expect(countOf(before, pings)).toBe(20);
    expect(countOf(before, 'svc_processes')).toBeGreaterThanOrEqual(3);
    expect(countOf(before, 'svc_db_statement_duration_seconds_count{kind="read"}')).toBeGreaterThan(0);
    expect(countOf(before, 'svc_plan_cache_misses_total{use="list"}')).toBe(1);
    expect(countOf(before, 'svc_db_up')).toBe(1);
    expect(countOf(before, 'svc_access_version')).toBeGreaterThan(0);
    expect(before).toContain('process_resident_memory_bytes');

    const [, killed] = await running.until(/request process (\d+) is ready/);
    process.kill(Number(killed), 'SIGKILL');
    await running.until(new RegExp(`request process ${killed} ended[\\s\\S]*request process \\d+ is ready`));
    await ping(url, 5);
    const after = await readText(port, '/metrics');
    expect(countOf(after, pings)).toBe(25);
    expect(countOf(after, 'svc_process_restarts_total{cause="exit"}')).toBe(1);

    // Temporal takes connections and says nothing: the API serves, and says what does not work
    expect((await fetch(`http://127.0.0.1:${port}/ready`)).status).toBe(200);
    const health = await fetch(`http://127.0.0.1:${port}/health`);
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({
      status: 'degraded',
      role: 'api',
      parts: {
        requests: { status: 'ok' },
        schema: { status: 'ok' },
        queue: { status: 'degraded', reason: expect.stringContaining(silent.address) },
      },
    });
    expect(await running.stop('SIGTERM')).toBe(0);
    silent.close();
  });
});

describe('the health of Temporal', () => {
  it('is ok where the server responds', async () => {
    expect(await checkTemporal(inject('services').temporal, 'failed')).toEqual({ status: 'ok' });
  });

  it('is the given status where no server listens, where it is silent, and behind a proxy without one', async () => {
    const silent = await listen(createServer());
    const proxy = await listen(
      createHttp2Server((_, response) => {
        response.writeHead(502).end();
      }),
    );
    for (const address of ['127.0.0.1:1', silent.address, proxy.address])
      expect(await checkTemporal(address, 'failed')).toEqual({
        status: 'failed',
        reason: expect.stringContaining(address),
      });
    silent.close();
    proxy.close();
  });
});

describe('/ready', () => {
  it('says without any request that the database is lost, and that it is back', async () => {
    const made = await createTestDatabase('postgres', { template: await systemTemplate('postgres') });
    const url = new URL(made.url);
    const proxy = await startSwitchProxy(Number(url.port));
    url.port = String(proxy.port);
    const port = await reservePort();
    const running = newWorkplace().start(['start'], {
      PORT: '0',
      ADMIN_PORT: String(port),
      DATABASE_URL: url.href,
    });
    await served(running);
    expect(await readText(port, '/ready')).toBe('ready\n');
    await expectFollowed(proxy, port);
    expect(await running.stop('SIGTERM')).toBe(0);
    await proxy.close();
    await made.drop();
  });
});

describe('ADMIN_PORT of svc worker', () => {
  it('shows its health, the backlog, and the metrics of the SDK under the names of its documents', async () => {
    const place = newWorkplace();
    await copySystemTables(place);
    const port = await reservePort();
    const proxy = await startSwitchProxy(Number(inject('services').temporal.split(':')[1]));
    const running = place.start(['worker'], {
      ADMIN_PORT: String(port),
      TEMPORAL_ADDRESS: `127.0.0.1:${proxy.port}`,
      TEMPORAL_NAMESPACE: await createNamespace(),
    });
    await until(() => readText(port, '/live').catch(() => null));
    await running.until(/workers started: /);
    expect(await readText(port, '/ready')).toBe('ready\n');
    expect(JSON.parse(await readText(port, '/health'))).toMatchObject({
      status: 'ok',
      role: 'worker',
      parts: { workers: { status: 'ok' }, database: { status: 'ok' }, queue: { status: 'ok' } },
    });
    const text = await until(async () => {
      const found = await readText(port, '/metrics');
      return /^svc_class_workers\{class="\w+"\} 1$/m.test(found) && found;
    });
    expect(text).toMatch(/^svc_requests\{model="demo\/\w+",class="\w+",state="waiting"\} 0$/m);
    expect(text).toMatch(/^svc_slots\{model="demo\/\w+",state="limit"\} \d+$/m);
    expect(text).toMatch(/^svc_runs_total\{model="demo\/\w+",outcome="error"\} 0$/m);
    expect(text).toMatch(/^svc_webhook_attempts_total\{outcome="ok"\} 0$/m);
    expect(text).toMatch(/^temporal_num_pollers\{/m);
    expect(text).toMatch(/^temporal_request_latency_seconds_bucket\{/m);
    expect(text).toMatch(/^temporal_request_total\{/m);
    await expectFollowed(proxy, port);
    expect(await running.stop('SIGTERM')).toBe(0);
    await proxy.close();
  });
});
