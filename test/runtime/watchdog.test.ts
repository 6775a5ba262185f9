/** A process whose event loop hangs is reported and replaced, or ends. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { packageRoot } from '../../runtime/config/package.js';
import { connectServiceManager } from '../../runtime/processes/service-manager.js';
import { createNamespace } from '../queue/namespaces.js';
import { until } from '../until.js';
import { createWorkplace, type Running, type Workplace } from './commands.js';
import { copySystemTables } from './harness/bootstrapped.js';
import { adminToken } from './harness/rows.js';
import { openNotifySocket, type NotifySocket } from './notify-socket.js';

const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

/** Makes a process hang, in JavaScript, when it is sent a signal. */
const hangOnSignal = `process.on('SIGUSR2', () => { for (;;); });`;

const workplace = async (): Promise<Workplace> => {
  const place = createWorkplace();
  cleanups.push(place.remove);
  await copySystemTables(place);
  writeFileSync(join(place.directory, 'hang.mjs'), hangOnSignal);
  return place;
};

const openSocket = async (place: Workplace): Promise<NotifySocket> => {
  const socket = await openNotifySocket(place.directory);
  cleanups.push(socket.close);
  return socket;
};

const quick = { PORT: '0', LOG_LEVEL: 'debug', WATCHDOG: '1s' };
const hanging = { ...quick, NODE_OPTIONS: '--import ./hang.mjs' };

const served = async (running: Running): Promise<string> =>
  (await running.until(/(http:\/\/127\.0\.0\.1:\d+)\/items/))[1] ?? '';

const get = (url: string) => fetch(url, { headers: { authorization: `Bearer ${adminToken}` } });

const createSlowView = (place: Workplace): void => {
  const database = new Database(join(place.directory, '.svc', 'data.db'));
  database.exec(`create view "slow" as with recursive n(i) as (select 1 union all select i + 1 from n where i < 1e12)
    select count(*) as "total" from n`);
  database.close();
};

describe('with a supervisor', () => {
  it('a process that hangs logs its stack and is replaced', async () => {
    const place = await workplace();
    createSlowView(place);
    const running = place.start(['start', '--workers', '2'], quick);
    const url = await served(running);
    const lost = get(`${url}/items/slow`).then(
      ({ status }) => status,
      () => 'lost',
    );
    await running.until(/has not responded for 1000 ms; in flight: GET \/items\/slow/);
    await running.until(/ended \(it did not respond\)[\s\S]*request process \d+ is ready/);
    expect(await lost).toBe('lost');
    expect((await get(`${url}/users`)).status).toBe(200);
    expect(await running.stop('SIGTERM')).toBe(0);
  });

  it('a process that is stopped is replaced, and systemd is notified of start, liveness and stop', async () => {
    const place = await workplace();
    const socket = await openSocket(place);
    const running = place.start(['start', '--workers', '2'], {
      ...quick,
      NOTIFY_SOCKET: socket.path,
      WATCHDOG_USEC: '400000',
    });
    await served(running);
    const [, first] = await running.until(/request process (\d+) is ready/);
    await until(() => socket.messages.filter((message) => message === 'WATCHDOG=1').length >= 2);
    expect(socket.messages[0]).toBe('READY=1');
    process.kill(Number(first), 'SIGSTOP');
    await running.until(new RegExp(`request process ${first} ended \\(it did not respond\\)`));
    expect(await running.stop('SIGTERM')).toBe(0);
    await until(() => socket.messages.includes('STOPPING=1'));
  });
});

describe('without a supervisor', () => {
  it('a server that hangs exits with 70', async () => {
    const running = (await workplace()).start(['start', '--workers', '1'], hanging);
    await served(running);
    process.kill(running.pid, 'SIGUSR2');
    expect(await running.ended()).toBe(70);
    expect(running.output()).toMatch(/has not responded for 1000 ms; in flight: nothing/);
  });

  it('a server that hangs in native code is killed', async () => {
    const place = await workplace();
    createSlowView(place);
    const running = place.start(['start', '--workers', '1'], quick);
    const lost = get(`${await served(running)}/items/slow`).catch(() => null);
    expect(await running.ended()).toBeNull();
    expect(await lost).toBeNull();
  });

  it('a worker that hangs exits with 70', async () => {
    const running = (await workplace()).start(['worker'], {
      ...hanging,
      TEMPORAL_ADDRESS: inject('services').temporal,
      TEMPORAL_NAMESPACE: await createNamespace(),
    });
    await running.until(/workers started/);
    process.kill(running.pid, 'SIGUSR2');
    expect(await running.ended()).toBe(70);
  });

  it('an application that embeds the API is only reported', async () => {
    const place = await workplace();
    const program = [
      `import { createApi } from '@svc-api/svc';`,
      `const api = await createApi();`,
      `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_000);`,
      `await api.close();`,
      `console.log('still here');`,
    ];
    mkdirSync(join(place.directory, 'node_modules', '@svc-api'), { recursive: true });
    symlinkSync(packageRoot, join(place.directory, 'node_modules', '@svc-api', 'svc'));
    writeFileSync(join(place.directory, 'application.mjs'), program.join('\n'));
    const running = place.startProgram('application.mjs', quick);
    expect(await running.ended()).toBe(0);
    expect(running.output()).toMatch(/has not responded for 1000 ms[\s\S]*still here/);
  });
});

it('systemd is not notified while a process does not respond, and children cannot notify it', async () => {
  const place = await workplace();
  const socket = await openSocket(place);
  const environment = { ...process.env, NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '40000' };
  let looks = 0;
  cleanups.push(connectServiceManager(environment).ready(() => (looks += 1) > 10));
  await until(() => socket.messages.includes('WATCHDOG=1'));
  expect(looks).toBeGreaterThan(10);
  expect(environment.NOTIFY_SOCKET).toBeUndefined();
});
