/**
 * An apply over several hosts: nothing that a server still uses is dropped. What it does to the tables is tested on every
 * database by `changes` and `killed`; `LONG=1` runs this on every server too.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { Difference } from '../../../runtime/schema/service.js';
import type { Snapshot } from '../../../runtime/schema/snapshot/types.js';
import { createTestDatabase, pairDialects, type TestDatabase, type TestDialect } from '../../databases.js';
import { systemTemplate } from '../../templates.js';
import { until } from '../../until.js';
import { copyField, edited, field, type Edit } from './edits.js';
import { sendMixed, shopTables } from './mixed-requests.js';
import { removeHosts, startHost, type Host } from './running-host.js';

const databases: TestDatabase[] = [];

afterEach(async () => {
  removeHosts();
  for (const test of databases.splice(0)) await test.drop();
});

const createShop = async (dialect: TestDialect): Promise<TestDatabase> => {
  const test = await createTestDatabase(dialect, {
    sql: shopTables,
    template: await systemTemplate(dialect),
  });
  databases.push(test);
  return test;
};

/** A field comes, and another goes. */
const replacePrice: Edit = (snapshot) => {
  snapshot.fields.push(copyField(field(snapshot, 'product', 'title'), 'colour', {}));
  snapshot.fields = snapshot.fields.filter((entry) => entry.field !== 'price');
};

const diffOf = async (host: Host, edit: Edit): Promise<Difference> => {
  const { data } = (await host.request('/schema/snapshot')).body as { data: Snapshot };
  const answer = await host.request('/schema/diff', 'POST', edited(data, edit));
  return (answer.body as { data: Difference }).data;
};

const apply = (host: Host, { hash, diff }: Difference) =>
  host.request('/schema/apply', 'POST', { hash, diff });

const columns = async (shop: TestDatabase): Promise<readonly string[]> => {
  const [row = {}] = await shop.database.query('select * from product');
  return Object.keys(row).sort();
};

const productOf = async (host: Host): Promise<unknown> =>
  ((await host.request('/items/product')).body as { data: readonly unknown[] }).data[0];

const status = async (host: Host, { url }: TestDatabase): Promise<string> =>
  (await host.place.run(['schema', 'status'], { DATABASE_URL: url })).stdout;

/** Each starts several processes, which take long on a machine that runs other tests. */
const timeout = 240_000;

/** SQLite has one host. */
const servers = pairDialects(import.meta.url).filter((dialect) => dialect !== 'sqlite');

describe.each(servers)('on %s', { timeout }, (dialect) => {
  it('a field is dropped when every host has followed, and no request fails', async () => {
    const shop = await createShop(dialect);
    const [host, other] = await Promise.all([startHost(shop), startHost(shop, { workers: 1 })]);
    await until(() => host.ready().length === 2);
    const difference = await diffOf(host, replacePrice);
    const requests = sendMixed([host, other], 50);
    await until(() => requests.count() > 20);
    expect(await apply(host, difference)).toEqual({ status: 204, body: null });
    const expected = { id: 1, title: 'Chair', colour: null };
    expect(await Promise.all([productOf(host), productOf(other)])).toEqual([expected, expected]);
    expect((await requests.stop()).failed).toEqual([]);
    expect(await columns(shop)).toEqual(['colour', 'id', 'title']);
    for (const each of [host, other]) expect(await each.running.stop('SIGTERM')).toBe(0);
    expect(await shop.database.query('select * from svc_processes')).toEqual([]);
  });

  it('a host that does not follow keeps what would be dropped', async () => {
    const shop = await createShop(dialect);
    const [host, slow] = await Promise.all([
      startHost(shop, { workers: 1, environment: { SCHEMA_APPLY_WAIT: '2s' } }),
      startHost(shop, { workers: 1, environment: { SCHEMA_WATCH: 'off' } }),
    ]);
    const difference = await diffOf(host, replacePrice);
    expect(await apply(host, difference)).toMatchObject({
      status: 503,
      body: {
        errors: [
          { message: expect.stringMatching(/is not followed by process \d+ of the host ".+"; /) as string },
        ],
      },
    });
    expect(await columns(shop)).toEqual(['colour', 'id', 'price', 'title']);
    expect(await productOf(host)).toEqual({ id: 1, title: 'Chair', colour: null });
    expect(await productOf(slow)).toEqual({ id: 1, title: 'Chair', price: 40 });
    expect(await status(host, shop)).toMatch(/^waiting: /);

    expect((await slow.request('/schema/reload', 'POST')).status).toBe(204);
    const resumed = await host.place.run(['schema', 'apply', '--resume'], { DATABASE_URL: shop.url });
    expect(resumed).toMatchObject({ code: 0, stdout: 'the apply that was cut off has ended\n' });
    expect(await columns(shop)).toEqual(['colour', 'id', 'title']);
    expect(await status(host, shop)).toMatch(/^done\b/);
  });
});

describe('on postgres', { timeout }, () => {
  it('an apply that waits is abandoned, and everything is served again', async () => {
    const shop = await createShop('postgres');
    const [host] = await Promise.all([
      startHost(shop, { workers: 1, environment: { SCHEMA_APPLY_WAIT: '1s' } }),
      startHost(shop, { workers: 1, environment: { SCHEMA_WATCH: 'off' } }),
    ]);
    expect((await apply(host, await diffOf(host, replacePrice))).status).toBe(503);
    expect(await productOf(host)).toEqual({ id: 1, title: 'Chair', colour: null });
    const abandoned = await host.place.run(['schema', 'apply', '--abandon'], { DATABASE_URL: shop.url });
    expect(abandoned.code).toBe(0);
    await until(async () => 'price' in ((await productOf(host)) as object));
    expect(await columns(shop)).toEqual(['colour', 'id', 'price', 'title']);
  });

  it('hosts that were killed are not waited for', async () => {
    const shop = await createShop('postgres');
    const [host, lost] = await Promise.all([
      startHost(shop, { workers: 1 }),
      startHost(shop, { workers: 1 }),
    ]);
    await lost.running.stop('SIGKILL');
    expect((await apply(host, await diffOf(host, replacePrice))).status).toBe(204);
    expect(await columns(shop)).toEqual(['colour', 'id', 'title']);
  });

  it('of two applies at a time, the second sees what the first has made', async () => {
    const shop = await createShop('postgres');
    const [host, other] = await Promise.all([
      startHost(shop, { workers: 1 }),
      startHost(shop, { workers: 1 }),
    ]);
    const difference = await diffOf(host, replacePrice);
    const answers = await Promise.all([apply(host, difference), apply(other, difference)]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, 400]);
    expect(await columns(shop)).toEqual(['colour', 'id', 'title']);
  });
});
