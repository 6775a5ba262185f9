/** The event trigger of PostgreSQL: a change by hand is noticed at once, and without the trigger as before. */
import { afterEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../databases.js';
import { systemTemplate } from '../../templates.js';
import { until } from '../../until.js';
import { createWorkplace, type Outcome, type Workplace } from '../commands.js';
import { removeHosts, startHost, type Host, type HostOptions } from './running-host.js';

const tables = `create table product (id integer not null primary key, title varchar(40));
  insert into product values (1, 'Chair');`;

let shop: TestDatabase;
let work: Workplace | null = null;

afterEach(async () => {
  removeHosts();
  work?.remove();
  work = null;
  await shop.drop();
});

const createShop = async (): Promise<void> => {
  shop = await createTestDatabase('postgres', { sql: tables, template: await systemTemplate('postgres') });
};

const watch = (...flags: readonly string[]): Promise<Outcome> => {
  work ??= createWorkplace();
  return work.run(['schema', 'watch', ...flags], { DATABASE_URL: shop.url });
};

const start = (options: HostOptions = {}): Promise<Host> =>
  startHost(shop, {
    workers: 1,
    ...options,
    environment: { SCHEMA_WATCH: 'trigger', ...options.environment },
  });

/** Its statements name no column, so that none fails, which would start a look too. */
const served = async (host: Host): Promise<unknown> => (await host.request('/fields/product')).body;
const notices = (host: Host, text: string): Promise<boolean> =>
  until(() => host.running.output().includes(text));

const installed = 'the trigger is installed: servers with SCHEMA_WATCH=trigger follow at once\n';

describe('on postgres', () => {
  it.each([1, 2])(
    'an ALTER by hand is served without a look at intervals, by %i processes',
    async (workers) => {
      await createShop();
      expect((await watch()).stdout).toBe('the trigger is not installed\n');
      expect(await watch('--install')).toMatchObject({ code: 0, stdout: installed });
      const host = await start({ workers });
      if (workers === 2) await until(() => host.ready().length === 2);
      expect(host.running.output()).not.toContain('checked every');
      await shop.execute('alter table product add column colour varchar(20)');
      await notices(host, 'column product.colour added');
      await until(async () => (await host.request('/items/product?fields=colour')).status === 200);
      // a second one, and one that the transaction takes back
      await shop.execute('drop table if exists nothing; alter table product drop column colour');
      await notices(host, 'column product.colour removed');
      expect((await host.request('/items/product')).body).toEqual({ data: [{ id: 1, title: 'Chair' }] });
    },
  );

  it('its connection is made again where it was lost, and what was missed is seen', async () => {
    await createShop();
    await watch('--install');
    const host = await start();
    const find = `from pg_stat_activity where datname = current_database() and query = 'listen svc_schema_changed'`;
    await until(async () => (await shop.database.query(`select pid ${find}`)).length === 1);
    await shop.database.transaction(async ({ query, write }) => {
      await query(`select pg_terminate_backend(pid) ${find}`);
      await write({ text: 'alter table product add column size integer', values: [] });
    });
    await notices(host, 'column product.size added');
    expect(await served(host)).toMatchObject({
      data: [{ field: 'id' }, { field: 'title' }, { field: 'size' }],
    });
  });

  it('without it the server logs that, and looks at intervals', async () => {
    await createShop();
    const host = await start();
    await notices(
      host,
      'SCHEMA_WATCH=trigger: the trigger does not exist; svc schema watch --install creates it',
    );
    await shop.execute('alter table product add column colour varchar(20)');
    expect(await notices(host, 'column product.colour added')).toBe(true);
  });

  it('is removed again, is printed for an administrator of the database, and takes a superuser', async () => {
    await createShop();
    const { stdout } = await watch('--sql');
    await shop.execute(stdout);
    expect((await watch()).stdout).toBe(installed);
    await shop.execute('alter event trigger svc_schema_changed disable');
    expect((await watch()).stdout).toBe('the trigger is not installed\n');
    expect((await watch('--remove')).stdout).toBe('the trigger is not installed\n');
    const user = `plain_${Date.now()}`;
    await shop.execute(
      `create role ${user} login password 'x'; grant all on schema public to ${user}; grant all on all tables in schema public to ${user}`,
    );
    const url = new URL(shop.url);
    url.username = user;
    url.password = 'x';
    const refused = await work?.run(['schema', 'watch', '--install'], { DATABASE_URL: url.href });
    await shop.execute(`drop owned by ${user}; drop role ${user}`);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('takes a superuser') as string,
    });
    const other = await work?.run(['schema', 'watch', '--install'], { DATABASE_URL: 'sqlite:nothing.db' });
    expect(other?.stderr).toMatch(/this database has no event triggers|nothing\.db/);
  });
});
