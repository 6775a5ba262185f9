/**
 * `npm run bench:queue`: the queue against bare Temporal, the same server, the same run, in turns. One process each of
 * API and worker, MariaDB, Temporal's dev server in memory.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createWorkplace, type Running } from '../runtime/commands.js';
import { findFreePort } from '../services/server.js';
import { startReceiver } from '../queue/receiver.js';
import { startTemporal } from '../services/temporal.js';
import { readMemory } from './cpu.js';
import { startMariadb } from './mariadb.js';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const clients = 16;
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const database = 'bench_queue';

const model = `title: Echo
description: Answers what it was asked.
runner: { function: './echo.js' }
concurrency: { model: 100000, account: 100000 }
input: { type: object, properties: { n: { type: integer } } }
output: { type: object }
`;

const table = `CREATE TABLE thing (id INT PRIMARY KEY, ${Array.from({ length: 9 }, (_, at) => `f${at} VARCHAR(40)`).join(', ')})`;

/** Calls `once` with so many clients for so long. @returns calls a second */
const rate = async (once: () => Promise<unknown>): Promise<number> => {
  let calls = 0;
  const until = performance.now() + seconds * 1000;
  const began = performance.now();
  const client = async (): Promise<void> => {
    while (performance.now() < until) {
      await once();
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return (calls * 1000) / (performance.now() - began);
};

/** Milliseconds of one call after the other. */
const latencies = async (once: () => Promise<unknown>, count: number): Promise<number[]> => {
  const all: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const began = performance.now();
    await once();
    all.push(performance.now() - began);
  }
  return all;
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

interface Pair {
  readonly queue: number;
  readonly floor: number;
}

/** In turns, so that what else the machine does meets both. */
const inTurns = async (queue: () => Promise<number>, floor: () => Promise<number>): Promise<Pair> => {
  const all: { queue: number[]; floor: number[] } = { queue: [], floor: [] };
  for (let round = 0; round < rounds; round += 1) {
    all.floor.push(await floor());
    all.queue.push(await queue());
  }
  return { queue: median(all.queue), floor: median(all.floor) };
};

const row = (name: string, { queue, floor }: Pair, unit: string, target: string): void =>
  say(
    `${name.padEnd(34)} ${queue.toFixed(0).padStart(7)} ${unit}  ÷ ${floor.toFixed(0).padStart(6)}  = ${(queue / floor).toFixed(2)}   (${target})`,
  );

const run = async (): Promise<void> => {
  const [mariadb, temporal] = await Promise.all([startMariadb(), startTemporal()]);
  const place = createWorkplace({ built: true });
  const stops: (() => Promise<unknown>)[] = [() => mariadb.stop(), () => temporal.stop()];
  try {
    await mariadb.recreate(database);
    await mariadb.execute(database, [table, `INSERT INTO thing VALUES (1${", 'something'".repeat(9)})`]);
    mkdirSync(join(place.directory, 'spec', 'models'), { recursive: true });
    writeFileSync(join(place.directory, 'spec', 'models', 'bench.echo.yaml'), model);
    writeFileSync(join(place.directory, 'echo.js'), 'export const run = async (input) => input;\n');
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    const environment = {
      DATABASE_URL: mariadb.url(database),
      TEMPORAL_ADDRESS: temporal.url,
      ADMIN_TOKEN: 'bench-administrator-token',
      RATE_LIMITER_ENABLED: 'false',
      LOG_LEVEL: 'warn',
      PORT: String(port),
      PUBLIC_URL: url,
      WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
      WEBHOOK_ALLOW_HTTP: 'true',
    };
    await place.run(['bootstrap'], environment);
    const key = (
      await place.run(['keys', 'create', '--user', 'admin@example.com'], environment)
    ).stdout.trim();
    const api = place.start(['start', '--workers', '1'], { ...environment, LOG_LEVEL: 'info' });
    stops.unshift(() => api.stop('SIGTERM'));
    await api.until(/serving/);
    const headers = { authorization: `Key ${key}`, 'content-type': 'application/json' };
    const bearer = { authorization: `Bearer ${environment.ADMIN_TOKEN}` };
    const submit = async (): Promise<string> => {
      const answer = await fetch(`${url}/queue/bench/echo`, { method: 'POST', headers, body: '{"n":1}' });
      if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
      return ((await answer.json()) as { request_id: string }).request_id;
    };
    const connection = await Connection.connect({ address: temporal.url });
    const client = new Client({ connection });
    stops.unshift(() => connection.close());
    let number = 0;
    const bare = (taskQueue: string) => ({
      workflowId: `bare-${(number += 1)}`,
      taskQueue,
      args: [{ n: 1 }],
    });

    // nobody works meanwhile
    await submit();
    const submits = await inTurns(
      () => rate(submit),
      () => rate(() => client.workflow.start('bare', bare('nobody'))),
    );
    row('submissions a second', submits, '/s', '÷ workflow.start ≥ 0.8');

    const waiting = await submit();
    const get = (path: string, own: Readonly<Record<string, string>>) => async () => {
      const answer = await fetch(`${url}${path}`, { headers: own });
      await answer.arrayBuffer();
      if (answer.status > 202) throw new Error(`${path}: ${answer.status}`);
    };
    const reads = await inTurns(
      () => rate(get(`/queue/bench/echo/requests/${waiting}/status`, headers)),
      () => rate(get('/items/thing/1', bearer)),
    );
    row('status reads a second', reads, '/s', '÷ one item by key ≥ 0.7');

    const before = readMemory(api.pid);
    const aborts: AbortController[] = [];
    for (let index = 0; index < 1_000; index += 1) {
      const abort = new AbortController();
      aborts.push(abort);
      const { body } = await fetch(`${url}/queue/bench/echo/requests/${waiting}/status/stream`, {
        headers,
        signal: abort.signal,
      });
      body
        ?.getReader()
        .read()
        .catch(() => undefined);
    }
    await sleep(2_000);
    say(
      `${'1000 open streams'.padEnd(34)} ${(readMemory(api.pid) - before).toFixed(0).padStart(7)} MB                     (≤ 100 MB)`,
    );
    for (const abort of aborts) abort.abort();

    const worker: Running = place.start(['worker'], { ...environment, LOG_LEVEL: 'info' });
    stops.unshift(() => worker.stop('SIGTERM'));
    await worker.until(/working: /);
    Runtime.install({ logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} } });
    const native = await NativeConnection.connect({ address: temporal.url });
    const floor = await Worker.create({
      connection: native,
      taskQueue: 'bare',
      workflowsPath: new URL('bare-workflow.ts', import.meta.url).pathname,
      activities: { echo: async (input: object) => input },
    });
    const ended = floor.run();
    stops.unshift(async () => {
      floor.shutdown();
      await ended;
      await native.close();
    });
    // what was submitted above
    for (;;) {
      const [left] = await mariadb.column(
        database,
        "SELECT COUNT(*) FROM svc_requests WHERE state <> 'ended'",
      );
      if (Number(left) === 0) break;
      await sleep(500);
    }
    const complete = async (): Promise<void> => {
      const id = await submit();
      while ((await fetch(`${url}/queue/bench/echo/requests/${id}`, { headers })).status !== 200)
        await sleep(5);
    };
    const execute = () => client.workflow.execute('bare', bare('bare'));
    const alone = await inTurns(
      async () => median(await latencies(complete, 30)),
      async () => median(await latencies(execute, 30)),
    );
    row('end to end, one alone', alone, 'ms', '÷ one activity ≤ 1.2');
    const many = await inTurns(
      () => rate(complete),
      () => rate(execute),
    );
    row(`end to end, ${clients} clients`, many, '/s', 'of one activity');

    const hooks = await startReceiver();
    const began = performance.now();
    const body = JSON.stringify({ url: hooks.url });
    const asJson = { ...bearer, 'content-type': 'application/json' };
    const test = () => fetch(`${url}/webhooks/test`, { method: 'POST', headers: asJson, body });
    const count = 25 * clients;
    for (let index = 0; index < count; index += clients)
      await Promise.all(Array.from({ length: clients }, test));
    while (hooks.received.length < count) await sleep(10);
    const deliveries = (count * 1000) / (performance.now() - began);
    say(`${'webhook deliveries, one worker'.padEnd(34)} ${deliveries.toFixed(0).padStart(7)} /s`);
    await hooks.close();
  } finally {
    for (const stop of stops) await stop().catch((error: unknown) => say(String(error)));
    place.remove();
  }
};

await run();
