/** Requests of clients succeed while the schema changes under them. `LONG=1`: 50 applies and 50 `ALTER`s under 200 requests a second. */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { Difference } from '../../../runtime/schema/service.js';
import type { Snapshot } from '../../../runtime/schema/snapshot/types.js';
import { createTestDatabase, dialects, type TestDatabase, type TestDialect } from '../../databases.js';
import { systemTemplate } from '../../templates.js';
import { until } from '../../until.js';
import { isBuilding } from '../commands.js';
import { copyField, edited, field, type Edit } from './edits.js';
import { sendMixed, shopTables, type MixedRequests, type Sent } from './mixed-requests.js';
import { removeHosts, startHost, type Host } from './running-host.js';

const isLong = process.env.LONG !== undefined;
const applies = isLong ? 50 : 3;
const alters = isLong ? 50 : 3;
const rate = isLong ? 200 : 30;
/** Supervisor, two request processes and a spare one. */
const lasting = 4;
/** Each starts several processes. */
const tested: readonly TestDialect[] = isLong ? dialects : ['postgres'];

let shop: TestDatabase | null = null;

afterEach(async () => {
  removeHosts();
  await shop?.drop();
  shop = null;
});

const renameField = (snapshot: Parameters<Edit>[0], from: string, to: string): void => {
  const entry = field(snapshot, 'product', from);
  Object.assign(entry, { field: to, meta: { previous_name: from } });
  Object.assign(entry.schema, { name: to });
};

/** A round of changes, after which the schema is what it was. */
const edits: readonly Edit[] = [
  (snapshot) => {
    snapshot.fields.push(copyField(field(snapshot, 'product', 'title'), 'colour', {}));
    snapshot.fields = snapshot.fields.filter((entry) => entry.field !== 'price');
  },
  (snapshot) => renameField(snapshot, 'colour', 'shade'),
  (snapshot) => {
    Object.assign(field(snapshot, 'product', 'title').schema, { max_length: 90 });
    snapshot.fields = snapshot.fields.filter((entry) => entry.field !== 'shade');
    snapshot.fields.push(copyField(field(snapshot, 'product', 'id'), 'price', priceSchema));
  },
  (snapshot) => {
    Object.assign(field(snapshot, 'product', 'title').schema, { max_length: 40 });
  },
];

const priceSchema = { is_primary_key: false, has_auto_increment: false, is_nullable: true } as const;

/** Statements of a person, and what makes them undone. */
const byHand: readonly string[] = [
  'alter table product add column weight integer',
  'alter table product rename column weight to mass',
  'alter table product drop column mass',
];

const applyEdit = async (host: Host, edit: Edit): Promise<void> => {
  const { data } = (await host.request('/schema/snapshot')).body as { data: Snapshot };
  const answer = await host.request('/schema/diff', 'POST', edited(data, edit));
  const { hash, diff } = (answer.body as { data: Difference }).data;
  expect(await host.request('/schema/apply', 'POST', { hash, diff })).toEqual({ status: 204, body: null });
};

/** Processes of a host without the one that makes builds, which ends by itself. */
const lastingProcesses = ({ place }: Host): readonly number[] =>
  place.processes().filter((pid) => !isBuilding(pid));

/** Megabytes of each of them, the supervisor first. */
const memoryOf = (host: Host): readonly number[] =>
  lastingProcesses(host).map((pid) => {
    const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes) / 1024);
  });

/**
 * Returns the memory when those that were replaced have ended, and the others have served for a while. A round of
 * replacing begins two seconds after the last build.
 */
const settledMemory = async (host: Host, requests: MixedRequests): Promise<readonly number[]> => {
  let last = '';
  let since = performance.now();
  await until(
    () => {
      const processes = lastingProcesses(host);
      if (processes.length !== lasting || processes.join() !== last) since = performance.now();
      last = processes.join();
      return performance.now() - since > 8_000;
    },
    { what: 'no process is being replaced', timeout: 180_000, seen: () => lastingProcesses(host) },
  );
  // a process that has served little is smaller
  const before = requests.count();
  await until(() => requests.count() > before + 25 * rate);
  // without work, a process collects its garbage: what it holds is left
  await requests.pause(30_000);
  return memoryOf(host);
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Sends the same requests for some seconds while nothing changes, to compare their times with. */
const sendCalm = async (hosts: readonly Host[]): Promise<Sent> => {
  const requests = sendMixed(hosts, rate);
  await until(() => requests.count() > 20 * rate);
  return requests.stop();
};

const describeTimes = ({ times, rate: sent }: Sent): string => {
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(0);
  return `${times.length} requests at ${sent.toFixed(0)}/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(0.9999)} ms`;
};

describe.each(tested)('on %s', (dialect) => {
  it(
    `none of the requests to two hosts fails during ${applies} applies and ${alters} statements by hand`,
    async () => {
      const made = await createTestDatabase(dialect, {
        sql: shopTables,
        template: await systemTemplate(dialect),
      });
      shop = made;
      const [host, other] = await Promise.all([startHost(made), startHost(made, { workers: 1 })]);
      await until(() => host.ready().length === 2);
      const calm = isLong ? await sendCalm([host, other]) : null;
      const requests = sendMixed([host, other], rate);
      await until(() => requests.count() > 30);
      const memory: (readonly number[])[] = [];
      for (let count = 0; count < applies; count += 1) {
        await applyEdit(host, edits[count % edits.length] as Edit);
        // the first round has loaded what an apply takes
        const isMeasured = isLong && [3, applies / 2 - 1, applies - 1].includes(count);
        if (isMeasured) memory.push(await settledMemory(host, requests));
      }
      for (let count = 0; count < alters; count += 1) {
        await made.execute(byHand[count % byHand.length] as string);
        const before = requests.count();
        await until(() => requests.count() > before + 3 * rate);
      }
      if (isLong) memory.push(await settledMemory(host, requests));
      const sent = await requests.stop();
      const sums = memory.map((each) => `${sum(each)} MB (${each.join(' + ')})`);
      if (calm !== null) process.stdout.write(`${dialect}: before any change; ${describeTimes(calm)}\n`);
      process.stdout.write(
        `${dialect}: ${applies} applies, ${alters} by hand; ${describeTimes(sent)}; ${sums.join(', ')}\n`,
      );
      expect(sent.failed).toEqual([]);
      const [, half = 1, ...later] = memory.map(sum);
      expect(Math.max(half, ...later) / half).toBeLessThanOrEqual(1.05);
    },
    isLong ? 3_600_000 : 180_000,
  );
});
