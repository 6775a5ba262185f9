/** `svc start` follows its database: in all processes of all hosts, and without an error for anybody. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../runtime/schema/snapshot/types.js';
import { createTestDatabase, dialects, type TestDatabase, type TestDialect } from '../../databases.js';
import { systemTemplate } from '../../templates.js';
import { until } from '../../until.js';
import { isBuilder, isBuilding } from '../commands.js';
import { removeHosts, startHost, type Host } from './running-host.js';

const databases: TestDatabase[] = [];

afterEach(async () => {
  removeHosts();
  for (const test of databases.splice(0)) await test.drop();
});

const tables = `create table product (id integer not null primary key, title varchar(40), price integer);
  insert into product values (1, 'Chair', 40);
  create table shelf (id integer not null primary key, room varchar(40));`;

const createShop = async (dialect: TestDialect) => {
  const test = await createTestDatabase(dialect, { sql: tables, template: await systemTemplate(dialect) });
  databases.push(test);
  return test;
};

/** Sends reads without a pause until it is stopped; returns the statuses. */
const sendReads = (host: Host) => {
  const state = { isStopped: false };
  const statuses: number[] = [];
  const send = async (): Promise<void> => {
    while (!state.isStopped) {
      const status = await host.request('/items/product').then(
        (answer) => answer.status,
        () => 0,
      );
      statuses.push(status);
      await sleep(20);
    }
  };
  const senders = Array.from({ length: 3 }, send);
  return {
    async stop(): Promise<readonly number[]> {
      state.isStopped = true;
      await Promise.all(senders);
      return statuses;
    },
  };
};

const nameOf = ({ body }: { readonly body: unknown }): unknown =>
  (body as { data?: { name?: string }[] }).data?.[0]?.name;

/** Milliseconds from noticing each change to its build. */
const buildTimes = ({ running }: Host): readonly number[] =>
  Array.from(running.output().matchAll(/built in ([\d.]+) ms/g), ([, ms]) => Number(ms));

/** Processes of a host that make builds. */
const builders = ({ place }: Host): readonly number[] => place.processes().filter(isBuilder);

/** The supervisor, and processes that serve requests or are prepared for it. */
const serving = ({ place }: Host): readonly number[] => place.processes().filter((pid) => !isBuilding(pid));

/** Each starts several processes; `watch.test.ts` has what differs by database, and SQLite is below. */
const quickDialects: readonly TestDialect[] = ['postgres'];

describe.each(process.env.LONG === undefined ? quickDialects : dialects)('on %s', (dialect) => {
  it('a change by hand reaches every host, where one process makes the builds and new ones replace the old', async () => {
    const shop = await createShop(dialect);
    const [host, other] = await Promise.all([startHost(shop), startHost(shop)]);
    const reads = sendReads(host);
    await until(() => host.ready().length === 2 && other.ready().length === 2);
    await until(async () => (await host.request('/items/product')).status === 200);
    // one more than those that serve has loaded all but a build
    await until(() => serving(host).length === 4);
    const prepared = serving(host);
    const former = host.ready();
    await shop.execute('alter table product rename column title to name');

    await until(async () => nameOf(await host.request('/items/product')) === 'Chair');
    const builder = builders(host);
    expect(builder).toHaveLength(1);
    await shop.execute('create table lamp (id integer not null primary key)');
    await until(async () => (await other.request('/items/lamp')).status === 200);
    await until(async () => nameOf(await other.request('/items/product')) === 'Chair');
    await until(async () => (await host.request('/items/lamp')).status === 200);
    expect(builders(host)).toEqual(builder);

    await until(() => host.ready().length >= 4);
    expect(prepared).toContain(host.ready()[2]);
    await until(() => former.every((pid) => !host.place.processes().includes(pid)));
    const failed = (await reads.stop()).filter((status) => status !== 200);
    // requests wait ten seconds for a build, which a machine that runs other tests may exceed
    const slowest = Math.max(...buildTimes(host));
    expect(slowest > 8_000 ? [] : failed).toEqual([]);
    expect(await host.running.stop('SIGTERM')).toBe(0);
    expect(await other.running.stop('SIGTERM')).toBe(0);
  });

  it('an apply is served once it has responded', async () => {
    const shop = await createShop(dialect);
    const host = await startHost(shop);
    const snapshot = (await host.request('/schema/snapshot')).body as { data: Snapshot };
    const wanted = structuredClone(snapshot.data) as unknown as { fields: Record<string, unknown>[] };
    const title = wanted.fields.find(({ field }) => field === 'title') as {
      schema: Record<string, unknown>;
      meta: Record<string, unknown> | null;
    };
    wanted.fields.push({
      ...title,
      field: 'colour',
      schema: { ...title.schema, name: 'colour' },
    } as unknown as Record<string, unknown>);
    const difference = (await host.request('/schema/diff', 'POST', wanted)).body as { data: unknown };
    expect((await host.request('/schema/apply', 'POST', difference.data)).status).toBe(204);
    for (let count = 0; count < 6; count += 1) {
      expect((await host.request('/items/product')).body).toMatchObject({ data: [{ id: 1, colour: null }] });
    }
    expect(await host.running.stop('SIGTERM')).toBe(0);
  });
});

it.each([
  ['sqlite', 1],
  ['postgres', 2],
] as const)(
  'on %s, the former schema is served while a new one cannot be, %i workers',
  async (dialect, workers) => {
    const shop = await createShop(dialect);
    const host = await startHost(shop, { workers });
    await shop.execute('alter table svc_dashboards drop column note');
    await host.running.until(
      /cannot be served; requests are answered by the former one: the system tables are missing/,
    );
    expect((await host.request('/items/product')).status).toBe(200);
    expect((await host.request('/server/health')).body).toMatchObject({
      status: 'ok',
      checks: {
        schema: {
          status: 'warning',
          message: expect.stringMatching(
            /column svc_dashboards\.note removed; it cannot be served: .*run "svc bootstrap"/,
          ) as string,
        },
      },
    });
    const ready = await fetch(`http://127.0.0.1:${host.adminPort}/ready`);
    expect([ready.status, await ready.text()]).toEqual([
      200,
      expect.stringMatching(/^ready\nthe schema has changed and cannot be served: /) as string,
    ]);
    const examined = await host.place.run(['doctor'], { DATABASE_URL: shop.url });
    expect(examined.code).toBe(1);
    expect(examined.stdout).toMatch(/svc_dashboards[\s\S]*svc bootstrap/);
    expect(await host.request('/schema/reload', 'POST')).toMatchObject({
      status: 503,
      body: { errors: [{ message: expect.stringContaining('run "svc bootstrap"') as string }] },
    });
    await host.place.run(['bootstrap'], { DATABASE_URL: shop.url });
    await until(async () =>
      (await fetch(`http://127.0.0.1:${host.adminPort}/ready`)).text().then((text) => text === 'ready\n'),
    );
    expect((await host.request('/schema/reload', 'POST')).status).toBe(204);
    expect(await host.running.stop('SIGTERM')).toBe(0);
  },
);
