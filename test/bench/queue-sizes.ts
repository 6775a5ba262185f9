/**
 * Measures the queue with large tables: admission with many waiting requests, and status with many that
 * have ended. `BENCH_WAITING` is the number of the former, 10 000 by default, and `BENCH_ENDED` that of the latter, 10
 * million; the rows are made by the database.
 */
import { randomUUID } from 'node:crypto';
import type { QueueModelDeclaration } from '../../contract/queue-model.js';
import { openDatabase } from '../../runtime/databases/open.js';
import { createModelLocks } from '../../runtime/queue/store/model-locks.js';
import { median } from './measure.js';
import type { Measure } from './queue-measures.js';
import type { QueuePlace } from './queue-place.js';
import { inTurns, rate } from './queue-turns.js';

const print = (value: number): string => String(Number(value.toPrecision(3)));

const accounts = 100;
const waiting = Number(process.env.BENCH_WAITING ?? 10_000);
const sizes = [waiting / 10, waiting] as const;
/** Free slots of one fill, and admissions of each size. */
const slots = 50;
const admissions = 400;

const measured = { id: 'bench/admission', class: 'nobody' };

/** A row of `svc_requests` for each number from 1; `account` is an expression of `seq`. */
const insertRequests = (values: {
  readonly count: number;
  readonly columns: Readonly<Record<string, string>>;
}) =>
  `INSERT INTO svc_requests (${Object.keys(values.columns).join(', ')})
   SELECT ${Object.values(values.columns).join(', ')} FROM seq_1_to_${values.count}`;

/** An id of the number `seq`, in the order of the numbers, as ids of requests are in the order of their creation. */
const idOf = (first: number): string =>
  `CONCAT(LPAD(HEX(${first} + seq), 8, '0'), '-0000-7000-8000-', LPAD(HEX(seq), 12, '0'))`;

const accountOf = (of: number): string =>
  `CONCAT('00000000-0000-4000-8000-', LPAD(HEX(seq % ${of}), 12, '0'))`;

const fillWith = async ({ execute }: QueuePlace, count: number): Promise<void> => {
  for (const table of ['svc_requests', 'svc_waiting_accounts'])
    await execute(`DELETE FROM ${table} WHERE model = '${measured.id}'`);
  await execute(
    insertRequests({
      count,
      columns: {
        id: idOf(0),
        account: accountOf(accounts),
        model: `'${measured.id}'`,
        state: "'waiting'",
        input: "'{}'",
        // known to Temporal, so that nobody starts a workflow
        started: '1',
        date_created: `${Date.now()} + seq`,
      },
    }),
  );
  await execute(
    'INSERT INTO svc_waiting_accounts (model, account, tier, turn) SELECT model, account, 0, 0 FROM svc_requests ' +
      `WHERE model = '${measured.id}' GROUP BY account`,
  );
  await execute('ANALYZE TABLE svc_requests, svc_waiting_accounts');
};

/** Returns the milliseconds of each admission, the median of the fills. */
const admissionTime = async (place: QueuePlace, count: number, free = slots): Promise<number> => {
  const model = { ...measured, concurrency: { model: free, account: free } } as QueueModelDeclaration;
  await fillWith(place, count);
  const database = await openDatabase({ url: place.databaseUrl });
  try {
    const locks = createModelLocks(database);
    const times: number[] = [];
    for (let turn = 0; turn < admissions / free; turn += 1) {
      const began = performance.now();
      const admitted = await locks.hold(model, ({ fill }) => fill());
      times.push((performance.now() - began) / admitted.length);
      await place.execute(
        `UPDATE svc_requests SET state = 'ended', date_ended = ${Date.now()} ` +
          `WHERE model = '${measured.id}' AND state = 'admitted'`,
      );
    }
    return median(times);
  } finally {
    await database.close();
  }
};

/** Cost of giving a slot to a waiting request, in a queue and in one ten times as long. */
export const admission: Measure = async (place) => {
  const [few, many] = [await admissionTime(place, sizes[0]), await admissionTime(place, sizes[1])];
  const single = await admissionTime(place, sizes[1], 1);
  await place.execute(`DELETE FROM svc_requests WHERE model = '${measured.id}'`);
  const waitingRequests = `${sizes[1]} waiting requests of ${accounts} accounts`;
  const note = `${waitingRequests}, ${slots} free slots`;
  const grown = `${print(many)} ms with ${sizes[1]} ÷ ${print(few)} ms with ${sizes[0]}`;
  return [
    { name: 'an admission', value: many, unit: 'ms', target: 1, atLeast: false, note },
    {
      name: 'an admission to the only free slot',
      value: single,
      unit: 'ms',
      target: 1,
      atLeast: false,
      note: waitingRequests,
    },
    {
      name: 'an admission of ten times as many',
      value: many / few,
      unit: '×',
      target: 1.5,
      atLeast: false,
      note: grown,
    },
  ];
};

const ended = Number(process.env.BENCH_ENDED ?? 10_000_000);
/** Rows of one statement. */
const chunkSize = 200_000;

const insertEnded = async ({ execute }: QueuePlace): Promise<void> => {
  const day = 86_400_000;
  for (let first = 0; first < ended; first += chunkSize) {
    const count = Math.min(chunkSize, ended - first);
    const created = `${Date.now() - day} + seq`;
    await execute(
      insertRequests({
        count,
        columns: {
          id: idOf(0x10_00_00_00 + first),
          account: accountOf(1_000),
          model: "'bench/echo'",
          state: "'ended'",
          attempts: '1',
          input: "'{}'",
          output: "'{}'",
          http_status: '200',
          started: '1',
          date_created: created,
          date_begun: created,
          date_ended: created,
        },
      }),
    );
  }
};

const read = async (address: string, headers: Readonly<Record<string, string>>): Promise<void> => {
  const answer = await fetch(address, { headers });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${address}: ${answer.status}`);
};

/** The status of a request that has ended, among many others. */
export const endedRequests: Measure = async (place) => {
  const { url, key, bearer, column, execute } = place;
  const began = performance.now();
  await insertEnded(place);
  const seconds = (performance.now() - began) / 1000;
  const [account = ''] = await column("SELECT id FROM svc_users WHERE email = 'admin@example.com'");
  const id = randomUUID();
  await execute(
    `INSERT INTO svc_requests (id, account, model, state, attempts, input, output, http_status, started, ` +
      `date_created, date_begun, date_ended) VALUES ('${id}', '${account}', 'bench/echo', 'ended', 1, '{}', '{}', ` +
      `200, 1, ${Date.now()}, ${Date.now()}, ${Date.now()})`,
  );
  const pair = await inTurns({
    queue: () => rate(() => read(`${url}/queue/bench/echo/requests/${id}/status`, key)),
    floor: () => rate(() => read(`${url}/items/thing/1`, bearer)),
  });
  const note =
    `${print(pair.queue)}/s ÷ ${print(pair.floor)}/s, with ${ended} requests that have ended, ` +
    `made in ${print(seconds)} s`;
  return [
    { name: 'status ÷ one, large table', value: pair.ratio, unit: '×', target: 0.9, atLeast: true, note },
  ];
};
