/** Measurements of the queue, each compared with the same work by Temporal or the data plane alone. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startReceiver, type Receiver } from '../queue/receiver.js';
import { readCpu, readMemory } from './cpu.js';
import type { QueuePlace } from './queue-place.js';
import { admission, endedRequests } from './queue-sizes.js';
import { workerProcesses } from './queue-workers.js';
import { clients, inTurns, latency, rate, waitFor } from './queue-turns.js';
import type { Finding } from './report.js';

export type Measure = (place: QueuePlace) => Promise<readonly Finding[]>;

const echo = '/queue/bench/echo';

const submit = async ({ url, key }: QueuePlace): Promise<string> => {
  const answer = await fetch(`${url}${echo}`, { method: 'POST', headers: key, body: '{"n":1}' });
  if (answer.status !== 200) throw new Error(`submit: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { request_id: string }).request_id;
};

const get = async (url: string, headers: Readonly<Record<string, string>>): Promise<number> => {
  const answer = await fetch(url, { headers });
  await answer.arrayBuffer();
  return answer.status;
};

const read = async (url: string, headers: Readonly<Record<string, string>>): Promise<void> => {
  const status = await get(url, headers);
  if (status > 202) throw new Error(`${url}: ${status}`);
};

let bares = 0;

/** Input of a bare workflow. */
const bare = (taskQueue: string) => ({ workflowId: `bare-${(bares += 1)}`, taskQueue, args: [{ n: 1 }] });

const count = async ({ column }: QueuePlace, condition: string): Promise<number> =>
  Number((await column(`SELECT COUNT(*) FROM svc_requests WHERE ${condition}`))[0]);

const untilNone = (place: QueuePlace, condition: string): Promise<void> =>
  waitFor(`requests that are ${condition}`, async () => (await count(place, condition)) === 0, {
    pause: 100,
  });

const print = (value: number): string => String(Number(value.toPrecision(3)));

/** Nobody works meanwhile. */
const submissions: Measure = async (place) => {
  await submit(place);
  let submitted = 0;
  let cpu = 0;
  let started = 0;
  const once = async (): Promise<void> => {
    await submit(place);
    submitted += 1;
  };
  const pair = await inTurns({
    floor: () => rate(() => place.temporal.workflow.start('bare', bare('nobody'))),
    async queue() {
      const before = readCpu(place.api.pid);
      const began = performance.now();
      const result = await rate(once);
      await untilNone(place, 'started = 0');
      cpu += readCpu(place.api.pid) - before;
      started += performance.now() - began;
      return result;
    },
  });
  const note =
    `${print(pair.queue)}/s ÷ ${print(pair.floor)}/s; with their workflows there ` +
    `${print((submitted * 1000) / started)}/s, ${print(cpu / submitted)} µs of the API each`;
  return [
    { name: 'submissions ÷ workflow.start', value: pair.ratio, unit: '×', target: 0.8, atLeast: true, note },
  ];
};

const statusReads: Measure = async (place) => {
  const { url, key, bearer } = place;
  const id = await submit(place);
  const pair = await inTurns({
    queue: () => rate(() => read(`${url}${echo}/requests/${id}/status`, key)),
    floor: () => rate(() => read(`${url}/items/thing/1`, bearer)),
  });
  const note = `${print(pair.queue)}/s ÷ ${print(pair.floor)}/s`;
  return [
    { name: 'status ÷ one item by key', value: pair.ratio, unit: '×', target: 0.7, atLeast: true, note },
  ];
};

const streams: Measure = async (place) => {
  const { url, key, api } = place;
  const id = await submit(place);
  const before = readMemory(api.pid);
  const abort = new AbortController();
  for (let index = 0; index < 1_000; index += 1) {
    const { body } = await fetch(`${url}${echo}/requests/${id}/status/stream`, {
      headers: key,
      signal: abort.signal,
    });
    body
      ?.getReader()
      .read()
      .catch(() => undefined);
  }
  await sleep(2_000);
  const value = readMemory(api.pid) - before;
  abort.abort();
  return [
    { name: '1000 open streams', value, unit: 'MB', target: 100, atLeast: false, note: 'more than before' },
  ];
};

/** To the answer of the result, asked for every so many milliseconds. */
const complete = async (place: QueuePlace, pause: number): Promise<void> => {
  const result = `${place.url}${echo}/requests/${await submit(place)}`;
  await waitFor('the result', async () => (await get(result, place.key)) === 200, { pause });
};

/** As clients do. */
const clientPause = 100;

const endToEnd: Measure = async (place) => {
  const worker = await place.startWorker();
  await place.startBareWorker();
  await untilNone(place, "state <> 'ended'");
  const execute = () => place.temporal.workflow.execute('bare', bare('bare'));
  const alone = await inTurns({
    queue: () => latency(() => complete(place, 5), 30),
    floor: () => latency(execute, 30),
  });
  const pids = [place.api.pid, worker.pid];
  const cpuOf = (): number => pids.reduce((sum, pid) => sum + readCpu(pid), 0);
  const before = cpuOf();
  let ended = 0;
  const many = await inTurns({
    queue: () => rate(() => complete(place, clientPause).then(() => (ended += 1))),
    floor: () => rate(execute),
  });
  const micros = (cpuOf() - before) / ended;
  await worker.stop('SIGTERM');
  const name = 'end to end ÷ one activity';
  return [
    {
      name: `${name}, alone`,
      value: alone.ratio,
      unit: '×',
      target: 1.2,
      atLeast: false,
      note: `${print(alone.queue)} ms ÷ ${print(alone.floor)} ms`,
    },
    {
      name: `${name}, ${clients} clients`,
      value: many.ratio,
      unit: '×',
      target: 0.83,
      atLeast: true,
      note: `${print(many.queue)}/s ÷ ${print(many.floor)}/s, ${print(micros)} µs of API and worker each`,
    },
  ];
};

const hooks = 1_000;

/** Webhooks that wait when the worker starts; the time counts from the first that arrives. */
const deliveries: Measure = async (place) => {
  await place.startBareWorker();
  const floor = await rate(() => place.temporal.workflow.execute('bare', bare('bare')));
  const receiver = await startReceiver();
  try {
    await insertDeliveries(place, receiver);
    const worker = await place.startWorker();
    await waitFor('the first webhook', () => receiver.received.length > 0);
    const [began, first, cpu] = [performance.now(), receiver.received.length, readCpu(worker.pid)];
    await waitFor(`${hooks} webhooks`, () => receiver.received.length >= hooks, {
      state: () => `there are ${receiver.received.length}`,
    });
    const [last, micros] = [performance.now(), readCpu(worker.pid) - cpu];
    await worker.stop('SIGTERM');
    const arrived = receiver.received.length - first;
    const delivered = (arrived * 1000) / (last - began);
    const note =
      `${print(delivered)}/s of one worker ÷ ${print(floor)}/s, ` +
      `${print(micros / arrived)} µs of the worker each`;
    return [
      {
        name: 'webhooks ÷ one activity',
        value: delivered / floor,
        unit: '×',
        target: 1,
        atLeast: true,
        note,
      },
    ];
  } finally {
    await receiver.close();
  }
};

const insertDeliveries = async ({ column, execute }: QueuePlace, { url }: Receiver): Promise<void> => {
  const [account = ''] = await column("SELECT id FROM svc_users WHERE email = 'admin@example.com'");
  const rows = Array.from(
    { length: hooks },
    () => `('${randomUUID()}', '${account}', '${url}/', 'pending', ${Date.now()})`,
  );
  await execute(
    `INSERT INTO svc_deliveries (id, account, url, state, date_created) VALUES ${rows.join(', ')}`,
  );
};

/** In this order: the first want nobody to work, the last nothing else to be done. */
export const measures: Readonly<Record<string, Measure>> = {
  submissions,
  status: statusReads,
  streams,
  latency: endToEnd,
  webhooks: deliveries,
  workers: workerProcesses,
  admission,
  ended: endedRequests,
};
