import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createTestDatabase,
  dialectsOf,
  sampleDialects,
  type Template,
  type TestDatabase,
  type TestDialect,
} from '../databases.js';
import { packageRoot } from '../../runtime/config/package.js';
import { shownVariables } from '../../runtime/config/variables.js';
import { systemTemplate } from '../templates.js';
import { copySystemTables } from './harness/bootstrapped.js';
import { useWorkplaces } from './harness/workplaces.js';

const dialects = dialectsOf(import.meta.url);

const databases: TestDatabase[] = [];

afterEach(async () => {
  for (const test of databases.splice(0)) await test.drop();
});

// after the hook above, so that it runs before it: processes end before their databases
const newWorkplace = useWorkplaces();

const shop = async (
  dialect: TestDialect,
  options: { readonly template?: Template } = {},
): Promise<TestDatabase> => {
  const made = await createTestDatabase(dialect, {
    ...options,
    sql: 'create table product (id integer not null primary key, title varchar(40) not null);',
  });
  databases.push(made);
  return made;
};

/** Databases that are reached over a network. */
const servers = ['mariadb', 'postgres'] as const;

describe('svc', () => {
  it('lists its commands with --help', async () => {
    const place = newWorkplace();
    const { code, stdout } = await place.run(['--help']);
    expect(code).toBe(0);
    const commands = ['demo', 'bootstrap', 'generate', 'start', 'users'];
    for (const command of commands) expect(stdout).toContain(`  ${command}`);
    const helps = await Promise.all(
      [
        ...commands.map((command) => [command]),
        ['users', 'create'],
        ['users', 'token'],
        ['users', 'password'],
        ['users', 'tfa-reset'],
      ].map((args) => place.run([...args, '--help'])),
    );
    for (const help of helps) expect(help).toMatchObject({ code: 0, stderr: '' });
    const start = helps[commands.indexOf('start')]?.stdout;
    for (const { name } of shownVariables) expect(start).toContain(`\n  ${name} `);
  });

  it('exits with 2 for invalid arguments', async () => {
    const place = newWorkplace();
    expect(await place.run(['stat'])).toMatchObject({ code: 2 });
    expect(await place.run(['start', '--workers', 'many'])).toMatchObject({ code: 2 });
  });

  it('exits with 1 and every fault of the environment', async () => {
    const outcome = await newWorkplace().run(['bootstrap'], { PORT: 'http', DATABASE_WAIT: 'long' });
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain('PORT is "http"');
    expect(outcome.stderr).toContain('DATABASE_WAIT is "long"');
  });

  it('reads .env of the working directory', async () => {
    const place = newWorkplace();
    writeFileSync(join(place.directory, '.env'), 'ADMIN_EMAIL=from-file@example.com\n');
    const { stdout } = await place.run(['bootstrap', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ admin: { email: 'from-file@example.com', state: 'created' } });
  });

  it('prints secrets that bootstrap generated, but not given ones', async () => {
    const given = { ADMIN_TOKEN: 'given-token', ADMIN_PASSWORD: 'given-password' };
    const silent = await newWorkplace().run(['bootstrap'], given);
    expect(silent.code).toBe(0);
    expect(silent.stdout + silent.stderr).not.toMatch(/given-|token:|password:/);
    const { stdout } = await newWorkplace().run(['bootstrap'], { ADMIN_TOKEN: 'given-token' });
    expect(stdout).toMatch(/^password: \S{16}$/m);
    expect(stdout).not.toMatch(/given-|token:/);
    expect(stdout).toContain('\nnot printed, because you set it: ADMIN_TOKEN\n');
  });

  it('exits with 2 and the waiting time if the database does not start', async () => {
    const outcome = await newWorkplace().run(['bootstrap'], {
      DATABASE_URL: 'mysql://u:hidden@127.0.0.1:1/shop',
      DATABASE_WAIT: '200ms',
    });
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toContain('mysql://127.0.0.1:1/shop did not come up within 0.2 s (DATABASE_WAIT)');
    expect(outcome.stderr).not.toContain('hidden');
  });

  it.each(servers)('waits for %s while it starts', async (dialect) => {
    const { url } = await shop(dialect);
    const { port, hostname } = new URL(url);
    // Whoever connects is cut off, until the listener opens.
    let open = false;
    const listener = createServer((client) => {
      if (!open) return client.destroy();
      const server = connect(Number(port), hostname);
      client.pipe(server).pipe(client);
      for (const end of [client, server]) end.on('error', () => client.destroy());
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const behind = new URL(url);
    behind.port = String((listener.address() as AddressInfo).port);
    const running = newWorkplace().start(['bootstrap'], { DATABASE_URL: behind.href });
    await running.until(/waiting for /);
    open = true;
    expect(await running.ended()).toBe(0);
    listener.close();
  });

  it.each(servers)('does not wait for %s if it rejects the connection', async (dialect) => {
    const { url } = await shop(dialect);
    const refused = new URL(url);
    refused.username = 'nobody';
    refused.password = 'hidden';
    const { code, stderr } = await newWorkplace().run(['bootstrap'], { DATABASE_URL: refused.href });
    expect(code).toBe(2);
    expect(stderr).toMatch(/cannot be used: (?:Access denied|role "nobody" does not exist)/);
  });
});

/** Output of commands if no database is chosen. */
const note = 'DATABASE_URL is not set; using sqlite:.svc/data.db\n';

describe('svc users', () => {
  it('creates users with a role and gives them tokens', async () => {
    const place = newWorkplace();
    await copySystemTables(place);
    const created = await place.run(['users', 'create', 'ann@example.com', '--role', 'Administrator']);
    expect(created).toMatchObject({ code: 0, stderr: note });
    const first = await place.run(['users', 'token', 'ann@example.com']);
    expect(first.stdout).toMatch(/^[\w-]{43}\n$/);
    const second = await place.run(['users', 'token', 'ann@example.com', '--json']);
    const { token } = JSON.parse(second.stdout) as { token: string };
    expect(token).not.toBe(first.stdout.trim());
    const third = await place.run(['users', 'password', 'ann@example.com']);
    expect(third.stdout).toMatch(/^[\w-]{16}\n$/);
  });

  it('finds users by their address in any case', async () => {
    const place = newWorkplace();
    await copySystemTables(place);
    const user = ['--user', 'Admin@Example.com'];
    for (const command of [
      ['users', 'token', 'Admin@Example.com'],
      ['keys', 'list', ...user],
      ['access', 'explain', ...user, '--collection', 'svc_users', '--action', 'read'],
    ])
      expect(await place.run(command)).toMatchObject({ code: 0, stderr: note });
  });

  it('rejects existing and missing users, with a remedy', async () => {
    const place = newWorkplace();
    expect((await place.run(['users', 'token', 'a@example.com'])).stderr).toContain(
      'run "svc bootstrap" to create it',
    );
    await copySystemTables(place);
    const long = `${'a'.repeat(117)}@example.com`;
    const wrong = ['bob', 'a b@example.com', 'a@b@example.com', '@example.com', long];
    const refusals = await Promise.all([
      place.run(['users', 'create', 'admin@example.com']),
      place.run(['users', 'create', 'ann@example.com', '--role', 'Editor']),
      place.run(['users', 'token', 'ann@example.com']),
      ...wrong.map((email) => place.run(['users', 'create', email])),
    ]);
    expect(refusals.map(({ code }) => code)).toEqual(refusals.map(() => 1));
    expect(refusals.map(({ stderr }) => stderr)).toEqual([
      `${note}svc: the user admin@example.com already exists\n`,
      `${note}svc: there is no role "Editor"; expected Administrator\n`,
      `${note}svc: there is no user ann@example.com; run "svc users create ann@example.com"\n`,
      ...wrong.map((email) => `svc: "${email}" is not an e-mail address of at most 128 characters\n`),
    ]);
    expect(await place.run(['users', 'create', long.slice(1)])).toMatchObject({ code: 0 });
  });
});

describe.each(dialects)('svc on %s', (dialect) => {
  it('bootstraps once by two concurrent processes', async () => {
    const { url, database } = await shop(dialect);
    const place = newWorkplace();
    const outcomes = await Promise.all(
      [1, 2].map(() => place.run(['bootstrap', '--json'], { DATABASE_URL: url })),
    );
    const states = outcomes.map(
      ({ stdout }) => (JSON.parse(stdout) as { admin: { state: string } }).admin.state,
    );
    expect(states.sort()).toEqual(['created', 'kept']);
    expect(await database.query('select email from svc_users')).toHaveLength(1);
  });
});

describe.each(sampleDialects(import.meta.url))('svc generate on %s', (dialect) => {
  it('generates from the database and reports differences', async () => {
    const { url, execute } = await shop(dialect, { template: await systemTemplate(dialect) });
    const place = newWorkplace();
    const run = (...args: string[]) => place.run(args, { DATABASE_URL: url });
    expect(await run('generate', '--no-client')).toMatchObject({ code: 0, stderr: '' });
    const before = readFileSync(join(place.directory, 'generated', 'server', 'product.ts'), 'utf8');
    expect((await run('generate', '--no-client')).stdout).toMatch(/^up to date/);
    expect(await run('generate', '--no-client', '--check')).toMatchObject({ code: 0 });

    await execute(
      'alter table product add column price decimal(10,2) null; alter table product drop column title;',
    );
    const check = await run('generate', '--no-client', '--check');
    expect(check.code).toBe(1);
    expect(check.stdout).toContain('column product.price added (');
    expect(check.stdout).toContain('column product.title removed');
    expect(check.stdout).toContain('breaks clients: product.title no longer exists.');
    expect(check.stdout).toContain('would be written: generated/server/product.ts');
    expect(readFileSync(join(place.directory, 'generated', 'server', 'product.ts'), 'utf8')).toBe(before);

    const report = JSON.parse((await run('generate', '--no-client', '--json')).stdout) as Record<
      string,
      unknown
    >;
    expect(report).toMatchObject({ breaking: [{ subject: 'product.title' }] });
    expect(await run('generate', '--no-client', '--check')).toMatchObject({ code: 0 });
  });

  it('generates the same from the stored catalog', async () => {
    const { url } = await shop(dialect, { template: await systemTemplate(dialect) });
    const place = newWorkplace();
    await place.run(['generate', '--no-client'], { DATABASE_URL: url });
    const offline = { DATABASE_URL: 'mysql://nobody@127.0.0.1:1/nowhere' };
    const again = await place.run(
      ['generate', '--no-client', '--check', '--from', 'generated/catalog.json'],
      offline,
    );
    expect(again).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('svc generate', () => {
  it('reports file and line of every fault of the spec and keeps the old output', async () => {
    const { url } = await shop('sqlite', { template: await systemTemplate('sqlite') });
    const place = newWorkplace();
    await place.run(['generate', '--no-client'], { DATABASE_URL: url });
    const before = readFileSync(join(place.directory, 'generated', 'openapi.json'), 'utf8');
    mkdirSync(join(place.directory, 'spec'));
    writeFileSync(join(place.directory, 'spec', 'api.yaml'), 'titel: Shop\nversion: 1\n');
    const { code, stderr } = await place.run(['generate', '--no-client'], { DATABASE_URL: url });
    expect(code).toBe(1);
    expect(stderr).toContain('spec/api.yaml:1:1: ');
    expect(stderr).toContain('spec/api.yaml:2:10: ');
    expect(readFileSync(join(place.directory, 'generated', 'openapi.json'), 'utf8')).toBe(before);
  });

  it('creates a secret for this machine once, readable by its user only, if none is given', async () => {
    const given = newWorkplace();
    const url = 'sqlite:data.db';
    writeFileSync(join(given.directory, 'data.db'), '');
    await given.run(['bootstrap'], { DATABASE_URL: url, SECRET: 's'.repeat(32) });
    expect(existsSync(join(given.directory, '.svc', 'secret'))).toBe(false);
    const place = newWorkplace();
    writeFileSync(join(place.directory, 'data.db'), '');
    const file = join(place.directory, '.svc', 'secret');
    const { stdout, stderr } = await place.run(['bootstrap'], { DATABASE_URL: url });
    const secret = readFileSync(file, 'utf8');
    expect(Buffer.from(secret, 'base64url').length).toBeGreaterThanOrEqual(32);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(stdout + stderr).not.toContain(secret);
    await place.run(['bootstrap'], { DATABASE_URL: url });
    expect(readFileSync(file, 'utf8')).toBe(secret);
  });

  it('does not compare with the output of another database, and prints little', async () => {
    const { url } = await shop('sqlite', { template: await systemTemplate('sqlite') });
    const place = newWorkplace();
    cpSync(join(packageRoot, 'generated'), join(place.directory, 'generated'), { recursive: true });
    const { stdout } = await place.run(['generate', '--no-client'], { DATABASE_URL: url });
    expect(stdout).toContain('generated/ is the output of another database: not compared');
    expect(stdout).not.toMatch(/breaks clients|Album/);
    expect(stdout).toMatch(/^removed: \d+ files in generated\/docs\/$/m);
    expect(stdout.split('\n').length).toBeLessThan(15);
  });

  it('does not compare with the output of a database of another kind', async () => {
    const place = newWorkplace();
    for (const dialect of ['sqlite', 'mariadb'] as const) {
      const { url } = await shop(dialect, { template: await systemTemplate(dialect) });
      const { stdout } = await place.run(['generate', '--no-client'], { DATABASE_URL: url });
      expect(stdout.includes('the output of another database')).toBe(dialect === 'mariadb');
    }
  });

  it('counts changes of system tables, and limits lists', async () => {
    const { url, execute } = await shop('sqlite', { template: await systemTemplate('sqlite') });
    const place = newWorkplace();
    await place.run(['generate', '--no-client'], { DATABASE_URL: url });
    const columns = Array.from({ length: 25 }, (_, index) => `alter table product add column c${index} int;`);
    await execute(`${columns.join(' ')} alter table svc_users add column team text;`);
    const { stdout } = await place.run(['generate', '--no-client'], { DATABASE_URL: url });
    expect(stdout).toContain('column product.c0 added');
    expect(stdout).toContain('… and 5 more; --json lists all');
    expect(stdout).toContain('system tables (svc_): 1 change\n');
  });

  it('reports a missing stored catalog', async () => {
    const { code, stderr } = await newWorkplace().run(['generate', '--no-client', '--from', 'nowhere.json']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'svc: --from: the file "nowhere.json" does not exist\n',
    });
  });
});
