/**
 * Each alert fires when what it tells of happens to real processes, and ends when what its entry of the runbook says is done.
 * Those of failing models, of webhooks that fail, and of processes that are gone are in `incident.test.ts` and
 * `prometheus.test.ts`. Those of the queue need `LONG`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createNamespace } from '../../queue/namespaces.js';
import { startReceiver, type Receiver } from '../../queue/receiver.js';
import { createTestDatabase, type TestDatabase } from '../../databases.js';
import { reservePort } from '../../services/ports.js';
import { impatientRules, startPrometheus, type Prometheus } from '../../services/prometheus.js';
import { systemTemplate } from '../../templates.js';
import { until } from '../../until.js';
import { writeModels } from './alarm-models.js';
import { createWorkplace, kill, runsModule, type Running, type Workplace } from '../commands.js';
import { adminToken } from '../harness/rows.js';
import { startSwitchProxy, type SwitchProxy } from '../harness/switch-proxy.js';

let place: Workplace;
let database: TestDatabase;
let databaseProxy: SwitchProxy;
let temporalProxy: SwitchProxy;
let receiver: Receiver;
let prometheus: Prometheus;
let api: Running;
let housekeeper: Running;
let modelWorker: Running;
let url = '';
let environment: Readonly<Record<string, string>> = {};
/** Of the API, of workers without the role `models`, and of those that have it. */
let ports: readonly number[] = [];
const running = new Set<Running>();

/** A process takes seconds to start, and is to end four times. */
const rules = (): string => impatientRules().replace(/(changes\(.*)\[20s\]/, '$1[90s]');

const admin = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
const day = 86_400_000;

const start = async (args: readonly string[], port: number, ready: RegExp): Promise<Running> => {
  const started = place.start(args, { ...environment, ADMIN_PORT: String(port) });
  running.add(started);
  await started.until(ready);
  return started;
};
const startWorker = (flags: string, port: number) =>
  start(['worker', ...flags.split(' ')], port, /workers started: /);
const stop = async (each: Running, signal: NodeJS.Signals): Promise<void> => {
  await each.stop(signal);
  running.delete(each);
};

beforeAll(async () => {
  receiver = await startReceiver();
  place = createWorkplace();
  writeModels(place);
  database = await createTestDatabase('postgres', {
    template: await systemTemplate('postgres'),
    sql:
      'create table notes (id serial primary key, text text);' +
      'create function fail() returns trigger language plpgsql as ' +
      "$$ begin perform pg_read_file('/nowhere'); return new; end $$",
  });
  const address = new URL(database.url);
  databaseProxy = await startSwitchProxy(Number(address.port));
  address.port = String(databaseProxy.port);
  temporalProxy = await startSwitchProxy(Number(inject('services').temporal.split(':')[1]));
  const port = await reservePort();
  url = `http://127.0.0.1:${port}`;
  ports = [await reservePort(), await reservePort(), await reservePort()];
  environment = {
    DATABASE_URL: address.href,
    DATABASE_POOL_MAX: '2',
    TEMPORAL_ADDRESS: `127.0.0.1:${temporalProxy.port}`,
    TEMPORAL_NAMESPACE: await createNamespace(),
    PORT: String(port),
    PUBLIC_URL: url,
    RATE_LIMITER_ENABLED: 'false',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
  };
  const [first = 0, second = 0, third = 0] = ports;
  [api, housekeeper, modelWorker] = await Promise.all([
    start(['start', '--workers', '2'], first, /\/items/),
    startWorker('--role workflows,webhooks,housekeeping', second),
    startWorker('--role models --class chatty', third),
  ]);
  prometheus = await startPrometheus(ports, rules(), 2);
}, 240_000);
afterAll(async () => {
  await prometheus.close();
  await Promise.all([...running].map((each) => each.stop('SIGKILL')));
  await Promise.all([databaseProxy.close(), temporalProxy.close(), receiver.close()]);
  place.remove();
  await database.drop();
});

const firing = async (name: string) =>
  (await prometheus.alerts())
    .filter(({ labels, state }) => labels['alertname'] === name && state === 'firing')
    .map(({ labels }) => labels);
const untilFiring = async (name: string, labels: Readonly<Record<string, string>> = {}) =>
  until(
    async () =>
      (await firing(name)).some((found) =>
        Object.entries(labels).every(([label, value]) => found[label] === value),
      ),
    { what: `${name} fires`, interval: 500, seen: () => prometheus.alerts() },
  );
const untilQuiet = async (name: string) =>
  until(async () => (await firing(name)).length === 0, {
    what: `${name} ends`,
    interval: 500,
    seen: () => prometheus.alerts(),
  });
const instance = (index: number) => ({ instance: `127.0.0.1:${ports[index]}` });

const call = (method: string, path: string, body?: object): Promise<Response> =>
  fetch(url + path, {
    method,
    headers: admin,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const submit = async (model: string): Promise<string> => {
  const answer = await call('POST', `/queue/${model}?svc_webhook=${receiver.url}/`, {});
  expect([answer.status, model]).toEqual([200, model]);
  return ((await answer.json()) as { request_id: string }).request_id;
};
const act = async (body: object): Promise<void> =>
  expect((await call('POST', '/operator/actions', body)).status).toBeLessThan(300);
const stateOf = async (id: string): Promise<unknown> =>
  (await database.database.query('select state from svc_requests where id = ?', [id]))[0]?.state;
const untilEnded = (id: string) => until(async () => (await stateOf(id)) === 'ended');

/** Ids of the processes that serve requests, or are to. */
const requestProcesses = (): readonly number[] =>
  place.processes().filter((pid) => runsModule(pid, 'processes/request-process.js'));
const killRequestProcesses = (): void => {
  for (const pid of requestProcesses()) kill(pid);
};

/** Alerts: their labels, and the steps that cause them and follow the runbook. */
type Scenario = readonly [string, () => Promise<void>];

const quick: readonly Scenario[] = [
  [
    'SvcErrors while writes fail in the database; a counter says on which route, the log why',
    async () => {
      await database.execute(
        'create trigger fail before insert on notes for each row execute function fail()',
      );
      await until(
        async () => {
          expect((await call('POST', '/items/notes', { text: 'a' })).status).toBe(500);
          return (await firing('SvcErrors')).length > 0;
        },
        { interval: 300 },
      );
      const failures = await prometheus.query('svc_http_failures_total > 0');
      expect(failures.map(({ metric }) => metric['route'])).toEqual(['/items/notes']);
      expect(api.output()).toContain('POST /items/notes failed');
      expect(api.output()).toContain('/nowhere');
      await database.execute('drop trigger fail on notes');
      expect((await call('POST', '/items/notes', { text: 'a' })).status).toBe(200);
    },
  ],
  [
    'SvcProcessRestarts while request processes end, whose log says how',
    async () => {
      killRequestProcesses();
      await until(
        () => {
          killRequestProcesses();
          return Array.from(api.output().matchAll(/request process \d+ ended/g)).length > 5;
        },
        { interval: 500, seen: () => api.output() },
      );
      await untilFiring('SvcProcessRestarts', { ...instance(0), cause: 'exit' });
      expect(api.output()).toMatch(/request process \d+ ended.*SIGKILL/);
    },
  ],
  [
    'SvcEventLoopBlocked while a request process computes without end',
    async () => {
      await until(async () => (await call('GET', '/items/notes')).status === 200);
      const pid = await until(() => requestProcesses()[0]);
      const pause = async (): Promise<void> => {
        process.kill(pid, 'SIGSTOP');
        await sleep(700);
        process.kill(pid, 'SIGCONT');
        await sleep(50);
      };
      await until(async () => {
        await pause();
        return (await firing('SvcEventLoopBlocked')).length > 0;
      });
      expect(await firing('SvcEventLoopBlocked')).toMatchObject([instance(0)]);
      await untilQuiet('SvcEventLoopBlocked');
    },
  ],
  [
    'SvcConnectionsExhausted while one of the processes waits for a lock',
    async () => {
      await until(async () => (await call('GET', '/items/notes')).status === 200);
      const reads = await database.database.transaction(async ({ write }) => {
        await write({ text: 'lock table notes', values: [] });
        const waiting = Array.from({ length: 16 }, async (_, index) =>
          (await call('GET', `/items/notes?limit=${index + 1}`)).text(),
        );
        await untilFiring('SvcConnectionsExhausted', instance(0));
        return waiting;
      });
      await Promise.all(reads);
      await untilQuiet('SvcConnectionsExhausted');
    },
  ],
  [
    'SvcDatabaseDown, not SvcDown, while the database answers nothing',
    async () => {
      databaseProxy.silence();
      for (const each of [0, 1, 2]) await untilFiring('SvcDatabaseDown', instance(each));
      expect(await firing('SvcDown')).toEqual([]);
      await databaseProxy.restore();
      await untilQuiet('SvcDatabaseDown');
      // the next spare process finds no database at first
      databaseProxy.cut();
      for (const pid of requestProcesses()) if (runsModule(pid, '\0spare')) kill(pid);
      await until(() => api.output().includes('waiting for the database'));
      await untilFiring('SvcDatabaseDown', instance(0));
      await databaseProxy.restore();
      await untilQuiet('SvcDatabaseDown');
    },
  ],
  [
    'SvcDatabaseDown of an API that starts while the database is away',
    async () => {
      await stop(api, 'SIGKILL');
      databaseProxy.cut();
      void start(['start', '--workers', '2'], ports[0] ?? 0, /\/items/);
      await untilFiring('SvcDatabaseDown', instance(0));
      await databaseProxy.restore();
      await untilQuiet('SvcDatabaseDown');
      const isReady = async () => (await fetch(`http://127.0.0.1:${ports[0]}/ready`)).status === 200;
      await until(isReady);
      databaseProxy.cut();
      // requests tell the processes, of which a connection reaches one
      const headers = { ...admin, connection: 'close' };
      const read = () => fetch(`${url}/items/notes`, { headers });
      await until(async () => (await read()).status === 503 && !(await isReady()));
      await databaseProxy.restore();
      await until(isReady);
    },
  ],
];

/** Alerts that depend on counts of the backlog, which are up to fifteen seconds old, and on windows that pass. */
const slow: readonly Scenario[] = [
  [
    'SvcClassNotServed, until a worker of the class that doctor names starts',
    async () => {
      const id = await submit('acme/quick');
      await untilFiring('SvcClassNotServed', { class: 'quick' });
      const { stdout } = await place.run(['doctor'], environment);
      expect(stdout).toMatch(/acme\/quick.*quick/);
      await startWorker('--role models --class quick', await reservePort());
      await untilEnded(id);
      await untilQuiet('SvcClassNotServed');
    },
  ],
  [
    'SvcQueueOld while a model is paused, and SvcWebhooksOld while a receiver refuses',
    async () => {
      receiver.answers.push(...Array.from({ length: 200 }, () => 500));
      await untilEnded(await submit('acme/quick'));
      await act({ action: 'pause', target: { kind: 'model', name: 'acme/quick' }, reason: 'a test' });
      // a process may learn of the pause after a moment
      const id = await until(async () => {
        const submitted = await submit('acme/quick');
        return (await stateOf(submitted)) === 'waiting' && submitted;
      });
      await database.execute(
        `update svc_requests set date_created = date_created - ${day} where id = '${id}';` +
          `update svc_deliveries set date_created = date_created - ${2 * day} where state = 'pending'`,
      );
      await untilFiring('SvcQueueOld', { model: 'acme/quick' });
      await untilFiring('SvcWebhooksOld');
      receiver.answers.length = 0;
      await act({ action: 'resume', target: { kind: 'model', name: 'acme/quick' } });
      await act({ action: 'redeliver', filter: { delivery: 'pending' }, reason: 'a test' });
      await untilQuiet('SvcQueueOld');
      await untilQuiet('SvcWebhooksOld');
    },
  ],
  [
    'SvcNotStarted and SvcJobOverdue while Temporal is away, until it is back',
    async () => {
      temporalProxy.cut();
      const id = await submit('acme/quick');
      await untilFiring('SvcNotStarted');
      await untilFiring('SvcJobOverdue');
      expect(await (await fetch(`http://127.0.0.1:${ports[1]}/health`)).json()).toMatchObject({
        status: 'failed',
        parts: { queue: { status: 'failed' } },
      });
      await temporalProxy.restore();
      await untilEnded(id);
      await untilQuiet('SvcNotStarted');
      await untilQuiet('SvcJobOverdue');
    },
  ],
  [
    'SvcJobOverdue of a worker whose sweep has failed since its start, and whose log says why',
    async () => {
      // the worker dies during a sweep, which holds up the next ones no longer than it takes to notice
      await database.database.transaction(async (executor) => {
        await executor.query(
          'create trigger fail before delete on svc_runs for each statement execute function fail()',
        );
        const waiting =
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%svc_runs%'";
        await until(async () => (await database.database.query(waiting)).length > 0);
        await stop(housekeeper, 'SIGKILL');
      });
      housekeeper = await startWorker('--role workflows,webhooks,housekeeping', ports[1] ?? 0);
      await untilFiring('SvcJobOverdue');
      await until(() => housekeeper.output().includes('/nowhere'), {
        seen: housekeeper.output,
      });
      await database.execute('drop trigger fail on svc_runs');
      await untilQuiet('SvcJobOverdue');
    },
  ],
  [
    'SvcDatabaseDown in every process and SvcLogLinesLost while the database is away, until it is back',
    async () => {
      const ids: string[] = [];
      for (let each = 0; each < 10; each += 1) ids.push(await submit('acme/chatty'));
      const states = () =>
        database.database.query(
          `select state from svc_requests where id in (${ids.map(() => '?').join()})`,
          ids,
        );
      await until(async () => (await states()).every(({ state }) => state === 'running'), {
        seen: states,
      });
      databaseProxy.cut();
      writeFileSync(join(place.directory, 'speak'), '');
      await call('GET', '/items/notes');
      for (const each of [0, 1, 2]) await untilFiring('SvcDatabaseDown', instance(each));
      await untilFiring('SvcLogLinesLost', { model: 'acme/chatty' });
      await databaseProxy.restore();
      await untilQuiet('SvcDatabaseDown');
      for (const id of ids) await untilEnded(id);
      expect((await call('GET', '/items/notes')).status).toBe(200);
    },
  ],
  [
    'SvcProcessRestarts while a worker ends again and again',
    async () => {
      await until(
        async () => {
          await stop(modelWorker, 'SIGKILL');
          modelWorker = await startWorker('--role models --class chatty', ports[2] ?? 0);
          return (await firing('SvcProcessRestarts')).length > 0;
        },
        { timeout: 90_000, interval: 2_000 },
      );
      expect(await firing('SvcProcessRestarts')).toMatchObject([instance(2)]);
    },
  ],
];

// in order: an alarm that has ended is quiet for the next one
describe('the alarms', { shuffle: false }, () => {
  it.each(process.env.LONG === undefined ? quick : [...quick, ...slow])(
    '%s',
    async (_title, follow) => {
      await expect(follow()).resolves.toBeUndefined();
    },
    240_000,
  );
});
