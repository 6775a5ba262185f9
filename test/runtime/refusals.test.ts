/** Faults of a command's surroundings: one sentence with a remedy, and exit code 1 or 2. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../databases.js';
import { systemTemplate } from '../templates.js';
import { createLimitedUser } from '../limited-user.js';
import type { Outcome } from './commands.js';
import { copySystemTables } from './harness/bootstrapped.js';
import { useWorkplaces } from './harness/workplaces.js';

const databases: TestDatabase[] = [];

afterEach(async () => {
  for (const test of databases.splice(0)) await test.drop();
});

// after the hook above, so that it runs before it: processes end before their databases
const newWorkplace = useWorkplaces();

/** A database of some tables and the system tables. */
const shop = async (dialect: 'sqlite' | 'mariadb' | 'mysql' | 'postgres'): Promise<TestDatabase> => {
  const sql = 'create table product (id integer not null primary key, title varchar(40) not null)';
  const made = await createTestDatabase(dialect, { sql, template: await systemTemplate(dialect) });
  databases.push(made);
  return made;
};

/** The lines of an outcome on stderr that begin with `svc:`, without stack traces. */
const reasonOf = ({ code, stderr }: Outcome) => {
  expect(stderr).not.toMatch(/^ +at /m);
  return [code, ...stderr.split('\n').filter((line) => line.startsWith('svc: '))];
};

describe('a command', () => {
  it('reports a version of Node that is too old', async () => {
    const place = newWorkplace();
    const older = join(place.directory, 'older.mjs');
    writeFileSync(older, "Object.defineProperty(process.versions, 'node', { value: '20.18.3' });");
    const outcome = await place.run(['--version'], { NODE_OPTIONS: `--import ${pathToFileURL(older).href}` });
    expect(reasonOf(outcome)).toEqual([2, 'svc: Node 20.18.3 is too old; svc needs Node 20.19 or newer']);
  });

  it('reports the database that it uses if none is chosen, and creates only that', async () => {
    const place = newWorkplace();
    expect((await place.run(['bootstrap'])).stderr).toContain(
      'DATABASE_URL is not set; using sqlite:.svc/data.db\n',
    );
    for (const args of [
      ['bootstrap'],
      ['start', '--workers', '1'],
      ['start', '--workers', '2'],
      ['generate'],
    ])
      expect(
        reasonOf(await place.run(args, { DATABASE_URL: 'sqlite:data/shop.db', LOG_LEVEL: 'debug' })),
      ).toEqual([
        1,
        'svc: DATABASE_URL names the file data/shop.db, which does not exist; correct the path, or create an empty file for a new database',
      ]);
    expect(existsSync(join(place.directory, 'data'))).toBe(false);
  });

  it('refuses table patterns that include nothing, but starts', async () => {
    const { url } = await shop('sqlite');
    const place = newWorkplace();
    const environment = {
      DATABASE_URL: url,
      TABLES_INCLUDE: 'pruduct*,prod*',
      TABLES_EXCLUDE: 'temp*',
      PORT: '0',
      LOG_STYLE: 'pretty',
    };
    expect(reasonOf(await place.run(['generate', '--no-client'], environment))).toEqual([
      1,
      'svc: include: the pattern "pruduct*" matches no table; correct it in TABLES_INCLUDE or in "tables" of spec/api.yaml',
    ]);
    const { stdout } = await place.run(['generate', '--no-client'], { ...environment, TABLES_INCLUDE: '' });
    expect(stdout).toContain('warning: exclude: the pattern "temp*" matches no table\n');
    const running = place.start(['start', '--workers', '1'], environment);
    await running.until(/\/items/);
    expect(running.output()).toContain('TABLES_INCLUDE: the pattern "pruduct*" matches no table');
    expect(running.output()).not.toContain('"prod*"');
    await running.stop('SIGTERM');
  });

  it('reports that the server of a worker does not respond', async () => {
    const place = newWorkplace();
    await copySystemTables(place);
    const outcome = await place.run(['worker'], { TEMPORAL_ADDRESS: '127.0.0.1:1' });
    expect(reasonOf(outcome)).toEqual([
      2,
      'svc: Temporal at 127.0.0.1:1 does not answer: Connection refused; start it, or correct TEMPORAL_ADDRESS',
    ]);
  });

  it('says that it waits for the server of a worker, where that is silent', async () => {
    const place = newWorkplace();
    await copySystemTables(place);
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const running = place.start(['worker'], { TEMPORAL_ADDRESS: address });
    await running.until(/waiting for Temporal/);
    expect(running.output()).toContain(`"msg":"waiting for Temporal at ${address}"`);
    await running.stop('SIGTERM');
    silent.close();
  });

  it('reports a host without an address', async () => {
    const place = newWorkplace();
    await copySystemTables(place);
    const outcome = await place.run(['start', '--workers', '1'], { HOST: 'foo..bar' });
    expect(reasonOf(outcome)).toEqual([
      2,
      'svc: the host name foo..bar has no address (ENOTFOUND); set HOST (or ADMIN_HOST) to an address of this machine',
    ]);
  });

  it('refuses a secret that anyone could guess, and one that cannot be read', async () => {
    const place = newWorkplace();
    await copySystemTables(place);
    const secret = join(place.directory, '.svc', 'secret');
    writeFileSync(secret, '\n');
    expect(reasonOf(await place.run(['start', '--workers', '1'], { PORT: '0' }))).toEqual([
      2,
      'svc: .svc/secret has 0 bytes, fewer than 32: restore it, set SECRET, or delete it, which ends all logins',
    ]);
    rmSync(secret);
    mkdirSync(secret);
    expect(reasonOf(await place.run(['bootstrap']))).toEqual([
      2,
      'svc: .svc/secret cannot be read or created (EISDIR): set SECRET, at least 32 bytes',
    ]);
  });

  it('refuses keys for models that do not exist', async () => {
    const place = newWorkplace();
    await copySystemTables(place);
    const create = (models: string) =>
      place.run(['keys', 'create', '--user', 'admin@example.com', '--models', models]);
    const { code, stderr } = await create('demo/imge,other/*,demo/*');
    expect(code).toBe(1);
    expect(stderr).toContain('no model matches "demo/imge"; did you mean "demo/image"?');
    expect(stderr).toMatch(
      /no model matches "other\/\*"; expected demo\/image, .*, or a pattern such as a\/\*/,
    );
    expect(await create('demo/image, demo/*')).toMatchObject({ code: 0 });
  });
});

describe.each(['mariadb', 'mysql', 'postgres'] as const)('bootstrap on %s', (dialect) => {
  it('needs no rights on tables where nothing is missing', async () => {
    const { url, execute } = await shop(dialect);
    const rights = 'select, insert, update, delete';
    const limited = await createLimitedUser(dialect, { url, execute, rights });
    try {
      const outcome = await newWorkplace().run(['bootstrap'], { DATABASE_URL: limited.url });
      expect(outcome).toMatchObject({ code: 0, stderr: '' });
      expect(outcome.stdout).toContain('system tables are up to date');
      await execute('alter table svc_users drop column ip_access');
      const refused = await newWorkplace().run(['bootstrap'], { DATABASE_URL: limited.url });
      expect(refused.code).toBe(2);
      expect(refused.stderr).toMatch(/svc: add svc_users.ip_access failed: .*(denied|must be owner)/);
    } finally {
      await limited.drop();
    }
  });
});
