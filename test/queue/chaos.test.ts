/**
 * Everything is killed at random moments while requests come in: nothing is lost, nothing ends twice, everybody hears.
 * `LONG=1`: 500 requests, two APIs, a Temporal cluster on PostgreSQL, as many deaths as fit in meanwhile, and rolling deploys
 * between them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRandom } from '../../models/random.js';
import { openDatabase } from '../../runtime/databases/open.js';
import type { Database } from '../../runtime/databases/contract.js';
import { createWorkplace, type Workplace } from '../runtime/commands.js';
import { reservePort } from '../services/ports.js';
import { startReceiver, type Receiver } from './receiver.js';
import { createTemporalCluster } from './temporal-cluster.js';
import { createDatabase, createSvc, createTemporal, type Server, type Victim } from './victims.js';

const isLong = process.env.LONG !== undefined;
const requests = isLong ? 500 : 12;
/** With a small load one worker is enough: that another takes over is in `durability.test.ts`. */
const workers = isLong ? 2 : 1;
const apis = isLong ? 2 : 1;
const deathsAtLeast = isLong ? 30 : 4;
/** Deaths after which API and workers are replaced one after the other. */
const deploysAfter: readonly number[] = isLong ? [8, 16, 24] : [];
/** Milliseconds everything has to come to its end, once nothing is killed any more. */
const patience = isLong ? 900_000 : 300_000;

let database: Server;
let temporal: Server;
let receiver: Receiver;
let place: Workplace;
let victims: readonly Victim[] = [];
/** API and workers. */
let own: readonly Victim[] = [];
let store: Database;
let key = '';
let urls: readonly string[] = [];

beforeAll(async () => {
  [database, temporal, receiver] = await Promise.all([
    createDatabase(),
    isLong ? createTemporalCluster() : createTemporal(),
    startReceiver(),
  ]);
  await Promise.all([database.start(), temporal.start()]);
  place = createWorkplace();
  const ports = await Promise.all(Array.from({ length: apis }, () => reservePort()));
  urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const environment = {
    DATABASE_URL: `postgres://postgres@127.0.0.1:${database.port}/postgres`,
    TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}`,
    PUBLIC_URL: urls[0] ?? '',
    RATE_LIMITER_ENABLED: 'false',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
  };
  const made = await place.run(['bootstrap'], environment);
  if (made.code !== 0) throw new Error(made.stderr);
  key = (await place.run(['keys', 'create', '--user', 'admin@example.com'], environment)).stdout.trim();
  own = [
    ...ports.map((port, index) =>
      createSvc(place, {
        name: `api ${index + 1}`,
        args: ['start', '--workers', '1'],
        environment: { ...environment, PORT: String(port) },
        ready: /serving/,
      }),
    ),
    ...Array.from({ length: workers }, (_, index) =>
      createSvc(place, {
        name: `worker ${index + 1}`,
        args: ['worker'],
        environment,
        ready: /workers started: /,
      }),
    ),
  ];
  for (const each of own) await each.start();
  victims = [...own, temporal, database];
  store = await openDatabase({ url: environment.DATABASE_URL });
});

afterAll(async () => {
  await store?.close().catch(() => undefined);
  for (const each of victims) await each.kill();
  await database?.remove();
  await temporal?.remove();
  await receiver?.close();
  place?.remove();
});

/** As clients behind a proxy do: again until there is an answer, under the same key. */
const submit = async (index: number): Promise<readonly string[]> => {
  const ids: string[] = [];
  const train = { prompt: 'sea', model_name: 'm', steps: 50, pause: 0.02, seed: index };
  const image = { prompt: 'sea', seed: index, width: 16, height: 16 };
  const [model, input] = index % 5 === 0 ? ['demo/train', train] : ['demo/image', image];
  for (let turn = index, answers = 0; answers < (index % 3 === 0 ? 2 : 1); turn += 1) {
    const url = urls[turn % urls.length] ?? '';
    const answer = await fetch(`${url}/queue/${model}?svc_webhook=${receiver.url}/`, {
      method: 'POST',
      headers: {
        authorization: `Key ${key}`,
        'content-type': 'application/json',
        'idempotency-key': `request-${index}`,
      },
      body: JSON.stringify(input),
    }).catch(() => null);
    const id =
      answer?.status === 200
        ? await answer.json().then(
            ({ request_id }) => String(request_id),
            () => null,
          )
        : null;
    if (id === null) await sleep(200);
    else {
      ids.push(id);
      answers += 1;
    }
  }
  return ids;
};

const load = async (): Promise<readonly (readonly string[])[]> => {
  const all: (readonly string[])[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < requests) {
      const index = next++;
      all[index] = await submit(index);
      await sleep(isLong ? 1_000 : 500);
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  return all;
};

/** Replaces API and workers one after the other. */
const deploy = async (): Promise<void> => {
  for (const each of own) {
    await each.end?.();
    await each.start();
  }
};

/** Kills one after the other, or ends it as a deploy does, until told to stop. @returns how often each died */
const rage = async (isOver: () => boolean): Promise<ReadonlyMap<string, number>> => {
  const random = createRandom(20_261_121);
  const deaths = new Map<string, number>();
  let turn = 0;
  while (!isOver() || turn < deathsAtLeast) {
    // each of them at least once
    const chosen = victims[turn < victims.length ? turn : Math.floor(random() * victims.length)] as Victim;
    turn += 1;
    if (deploysAfter.includes(turn)) {
      await deploy();
      deaths.set('deploy', (deaths.get('deploy') ?? 0) + 1);
    }
    await sleep(500 + random() * 2_500);
    // a deploy now and then
    const ends = random() < 0.3 ? chosen.end : undefined;
    await (ends ?? chosen.kill)();
    const how = ends === undefined ? chosen.name : `${chosen.name} (SIGTERM)`;
    deaths.set(how, (deaths.get(how) ?? 0) + 1);
    await sleep(random() * 2_000);
    await chosen.start();
  }
  return deaths;
};

const groupBy = <Value>(values: readonly Value[], keyOf: (value: Value) => string): Map<string, Value[]> => {
  const groups = new Map<string, Value[]>();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
};

const read = (text: string) => store.query(text).catch(() => null);

const untilNothingIsLeft = async (): Promise<void> => {
  const until = Date.now() + patience;
  for (;;) {
    const left = await read(
      "select (select count(*) from svc_requests where state <> 'ended') + " +
        "(select count(*) from svc_deliveries where state <> 'delivered') as open",
    );
    if (left !== null && Number(left[0]?.open) === 0) return;
    if (Date.now() > until) {
      const states = await read(
        'select state, started, count(*) as n from svc_requests group by state, started',
      );
      throw new Error(`still open: ${JSON.stringify([left, states])}`);
    }
    await sleep(500);
  }
};

it(
  `${requests} requests complete while API, workers, Temporal and database are killed`,
  async () => {
    const began = Date.now();
    let isLoaded = false;
    const [answers, deaths] = await Promise.all([
      load().finally(() => (isLoaded = true)),
      rage(() => isLoaded),
    ]);
    const calm = Date.now();
    await untilNothingIsLeft();
    // one id a key, however often it was asked for
    const ids = answers.map((each) => Array.from(new Set(each)));
    expect(ids.filter((each) => each.length !== 1)).toEqual([]);
    const rows = (await read('select id, state, http_status, error_type, attempts from svc_requests')) ?? [];
    expect(new Set(rows.map((row) => String(row.id)))).toEqual(new Set(ids.flat()));
    const statuses = groupBy(rows, (row) =>
      `${String(row.http_status)} ${String(row.error_type ?? '')}`.trim(),
    );
    // the delivery is written with the end: one of them, one of it
    const deliveries = (await read('select request, id from svc_deliveries')) ?? [];
    expect(deliveries.map((row) => String(row.request)).toSorted()).toEqual(ids.flat().toSorted());
    const heard = groupBy(receiver.received, ({ body }) => String(body.request_id));
    expect(new Set(heard.keys())).toEqual(new Set(ids.flat()));
    const repeated = [...heard.values()].filter(
      (each) => new Set(each.map(({ headers }) => headers['webhook-id'])).size > 1,
    );
    expect(repeated).toEqual([]);
    const wrong = rows.filter((row) => {
      const said = heard.get(String(row.id))?.[0]?.body.status;
      return said !== (Number(row.http_status) === 200 ? 'OK' : 'ERROR');
    });
    expect(wrong).toEqual([]);
    const report = {
      seconds: Math.round((Date.now() - began) / 1000),
      secondsAfterTheLastDeath: Math.round((Date.now() - calm) / 1000),
      deaths: Object.fromEntries(deaths),
      ends: Object.fromEntries([...statuses].map(([status, all]) => [status, all.length])),
      attempts: rows.reduce((sum, row) => sum + Number(row.attempts), 0),
      webhooks: receiver.received.length,
    };
    process.stdout.write(`${JSON.stringify(report)}\n`);
    expect(report.ends).toEqual({ 200: requests });
  },
  patience + 1_200_000,
);
