/** An apply that goes on after its response (`Prefer: respond-async`), and the progress that `svc schema apply --url` shows of it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { DescribedApply } from '../../../runtime/schema/apply/describe.js';
import type { Difference } from '../../../runtime/schema/service.js';
import type { Snapshot } from '../../../runtime/schema/snapshot/types.js';
import { createTestDatabase, type TestDatabase, type TestDialect } from '../../databases.js';
import { systemTemplate } from '../../templates.js';
import { until } from '../../until.js';
import { adminToken } from '../harness/rows.js';
import { copyField, edited, field, type Edit } from './edits.js';
import { shopTables } from './mixed-requests.js';
import { removeHosts, startHost, type Host } from './running-host.js';

let shop: TestDatabase | null = null;

afterEach(async () => {
  removeHosts();
  await shop?.drop();
  shop = null;
});

const open = async (dialect: TestDialect): Promise<{ readonly shop: TestDatabase; readonly host: Host }> => {
  const made = await createTestDatabase(dialect, {
    sql: shopTables,
    template: await systemTemplate(dialect),
  });
  shop = made;
  return { shop: made, host: await startHost(made, { workers: 1 }) };
};

const addColour: Edit = (snapshot) => {
  snapshot.fields.push(copyField(field(snapshot, 'product', 'title'), 'colour', {}));
};

const wantedBy = async (host: Host, edit: Edit): Promise<Snapshot> => {
  const { data } = (await host.request('/schema/snapshot')).body as { data: Snapshot };
  return edited(data, edit);
};

const differenceOf = async (host: Host, edit: Edit): Promise<Difference> => {
  const answer = await host.request('/schema/diff', 'POST', await wantedBy(host, edit));
  return (answer.body as { data: Difference }).data;
};

const send = async (host: Host, { hash, diff }: Difference) => {
  const response = await fetch(`${host.base}/schema/apply`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${adminToken}`,
      'content-type': 'application/json',
      prefer: 'handling=strict, Respond-Async; wait=5',
    },
    body: JSON.stringify({ hash, diff }),
  });
  const body = await response.text();
  const location = response.headers.get('location');
  const applied = response.headers.get('preference-applied');
  return { status: response.status, location, applied, body };
};

/** Resolves with an apply that has ended. */
const ended = (host: Host, location: string | null): Promise<DescribedApply> =>
  until(async () => {
    const { data } = (await host.request(location ?? '')).body as { data: DescribedApply };
    return data.ended !== null && data;
  });

it.each(['sqlite', 'postgres'] as const)(
  'on %s, an apply is accepted, tells how far it has come, and is served at its end',
  async (dialect) => {
    const { host } = await open(dialect);
    const difference = await differenceOf(host, addColour);
    const accepted = await send(host, difference);
    expect(accepted).toMatchObject({ status: 202, applied: 'respond-async' });
    const { data } = JSON.parse(accepted.body) as { data: DescribedApply };
    expect(accepted.location).toBe(`/schema/applies/${data.id}`);
    expect(await ended(host, accepted.location)).toMatchObject({
      state: 'done',
      steps_done: dialect === 'sqlite' ? 0 : 1,
    });
    await until(async () => (await host.request('/items/product?fields=colour')).status === 200);

    // what is wrong with the request itself is the response
    expect(await send(host, difference)).toMatchObject({ status: 400, location: null, applied: null });
    const nothing = { collections: [], fields: [], systemFields: [], relations: [] };
    expect(await send(host, { ...difference, diff: nothing })).toMatchObject({ status: 204, body: '' });
    const short = await differenceOf(host, (snapshot) => {
      Object.assign(field(snapshot, 'product', 'title').schema, { max_length: 3 });
    });
    const { location } = await send(host, short);
    expect(await ended(host, location)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('2 rows') as string,
    });

    // a failed apply is recorded as one that is done, with who sent what
    const listed = (await host.request('/schema/applies?limit=2')).body as { data: DescribedApply[] };
    expect(listed.data.map(({ state }) => state)).toEqual(['failed', 'done']);
    const sent = (await host.request(`${location}?include=diff`)).body as { data: Difference };
    expect(sent.data.diff).toEqual(short.diff);
    const written = await host.request('/activity?filter[action]=apply&sort=-id');
    expect((written.body as { data: unknown }).data).toMatchObject(
      listed.data.map(({ id }) => ({
        collection: 'svc_schema_applies',
        item: id,
        user: expect.stringMatching(/./) as string,
        ip: '127.0.0.1',
        user_agent: expect.stringMatching(/./) as string,
      })),
    );
    expect(await host.running.stop('SIGTERM')).toBe(0);
  },
);

it('the command shows the statement that runs on an instance, and ends when its schema is served', async () => {
  const { shop: database, host } = await open('postgres');
  writeFileSync(join(host.place.directory, 'wanted.json'), JSON.stringify(await wantedBy(host, addColour)));
  const apply = await database.database.transaction(async (executor) => {
    // the statement waits for this transaction
    await executor.query('lock table product in access share mode');
    const running = host.place.start(
      ['schema', 'apply', 'wanted.json', '--yes', '--url', host.base, '--token', adminToken],
      {},
    );
    await running.until(/1\/1 alter product/);
    return running;
  });
  await apply.until(/applied\n/);
  expect((await host.request('/items/product?fields=colour')).status).toBe(200);
});
