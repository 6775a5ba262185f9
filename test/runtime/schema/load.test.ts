/** Requests of clients succeed while the schema changes under them. `LONG=1`: 50 applies and 50 `ALTER`s under 200 requests a second. */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { Difference } from '../../../runtime/schema/service.js';
import type { Snapshot } from '../../../runtime/schema/snapshot/types.js';
import { createTestDatabase, dialects, type TestDatabase, type TestDialect } from '../../databases.js';
import { systemTemplate } from '../../templates.js';
import { until } from '../../until.js';
import { isBuilder } from '../commands.js';
import { copyField, edited, field, type Edit } from './edits.js';
import { sendMixed, shopTables, type Sent } from './mixed-requests.js';
import { removeHosts, startHost, type Host } from './running-host.js';

const isLong = process.env.LONG !== undefined;
const applies = isLong ? 50 : 3;
const alters = isLong ? 50 : 3;
const rate = isLong ? 200 : 30;
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

const priceSchema = { is_primary_key: false, is_nullable: true } as const;

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

/** Megabytes of the processes of a host that answer requests, or will. */
const memoryOf = ({ place }: Host): number => {
  const kilobytes = place
    .processes()
    .filter((pid) => !isBuilder(pid))
    .map((pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0));
  return Math.round(kilobytes.reduce((sum, each) => sum + each, 0) / 1024);
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
      const requests = sendMixed([host, other], rate);
      await until(() => requests.count() > 30);
      const first = memoryOf(host);
      for (let count = 0; count < applies; count += 1)
        await applyEdit(host, edits[count % edits.length] as Edit);
      for (let count = 0; count < alters; count += 1) {
        await made.execute(byHand[count % byHand.length] as string);
        const before = requests.count();
        await until(() => requests.count() > before + 3 * rate);
      }
      const sent = await requests.stop();
      const memory = `${first} MB at first, ${memoryOf(host)} MB at last`;
      process.stdout.write(
        `${dialect}: ${applies} applies, ${alters} by hand; ${describeTimes(sent)}; ${memory}\n`,
      );
      expect(sent.failed).toEqual([]);
    },
    isLong ? 3_600_000 : 180_000,
  );
});
