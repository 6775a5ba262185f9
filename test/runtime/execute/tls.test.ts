/** Encrypted connections to servers whose certificate an authority of our own has signed. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../runtime/databases/open.js';
import type { Service } from '../../services.js';
import { startMariadb } from '../../services/mariadb.js';
import { changeOwner, startPostgres } from '../../services/postgres.js';
import { until } from '../../until.js';

const openssl = (folder: string, line: string) =>
  promisify(execFile)('openssl', line.split(' '), { cwd: folder });

const makeAuthority = (folder: string, name: string) =>
  openssl(
    folder,
    `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=${name} -keyout ${name}.key -out ${name}.pem`,
  );

/** For the address of the server, and for no name. */
const makeCertificate = async (folder: string): Promise<void> => {
  await openssl(folder, 'req -newkey rsa:2048 -nodes -subj /CN=server -keyout server.key -out server.csr');
  await writeFile(join(folder, 'names'), 'subjectAltName = IP:127.0.0.1');
  await openssl(
    folder,
    'x509 -req -in server.csr -days 2 -extfile names -CA authority.pem -CAkey authority.key -CAcreateserial -out server.pem',
  );
};

let folder: string;
let authority: string;
let stranger: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-tls-'));
  for (const name of ['authority', 'stranger']) await makeAuthority(folder, name);
  await makeCertificate(folder);
  for (const name of ['', 'server.key', 'server.pem']) await changeOwner(join(folder, name));
  authority = await readFile(join(folder, 'authority.pem'), 'utf8');
  stranger = await readFile(join(folder, 'stranger.pem'), 'utf8');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Encryption of the connection, as the database reports it. */
const ask = async (url: string, ca: string | undefined, sql: string): Promise<unknown> => {
  const database = await openDatabase({ url, ...(ca !== undefined && { ca }) });
  try {
    const [row] = await database.query(sql);
    return Object.values(row ?? {}).at(-1);
  } finally {
    await database.close();
  }
};

describe('PostgreSQL', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startPostgres({
      ssl: 'on',
      ssl_cert_file: join(folder, 'server.pem'),
      ssl_key_file: join(folder, 'server.key'),
    });
  });
  afterAll(() => service.stop());

  const sql = 'select ssl::text from pg_stat_ssl where pid = pg_backend_pid()';
  const read = (query: string, ca?: string, host = '127.0.0.1') =>
    ask(`${service.url.replace('127.0.0.1', host)}/postgres${query}`, ca, sql);

  it('is not encrypted by default', async () => {
    expect(await read('')).toBe('false');
  });

  it('is encrypted without verification of the certificate', async () => {
    expect(await read('?sslmode=require')).toBe('true');
  });

  it('is verified by the given authority', async () => {
    expect(await read('', authority)).toBe('true');
    expect(await read('?sslmode=verify-full', authority)).toBe('true');
    expect(await read('?sslmode=verify-ca', authority, 'localhost')).toBe('true');
  });

  it('stops a statement on an encrypted connection', async () => {
    const database = await openDatabase({ url: `${service.url}/postgres`, ca: authority });
    const controller = new AbortController();
    const read = database.readUntil(controller.signal).query('select pg_sleep(600)');
    const running =
      "select 1 from pg_stat_activity where query = 'select pg_sleep(600)' and state = 'active'";
    const count = async (): Promise<number> => (await database.query(running)).length;
    await until(async () => (await count()) === 1);
    controller.abort(new Error('nobody waits'));
    await expect(read).rejects.toThrow('nobody waits');
    await until(async () => (await count()) === 0, { timeout: 10_000 });
    await database.close();
  });

  it('is rejected with another authority or host name', async () => {
    await expect(read('', stranger)).rejects.toThrow(/certificate/);
    await expect(read('?sslmode=verify-full')).rejects.toThrow(/certificate/);
    await expect(read('?sslmode=verify-ca', stranger)).rejects.toThrow(/certificate/);
    await expect(read('?sslmode=verify-full', authority, 'localhost')).rejects.toThrow(/altnames/);
  });
});

describe('MariaDB', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startMariadb([
      `--ssl-cert=${join(folder, 'server.pem')}`,
      `--ssl-key=${join(folder, 'server.key')}`,
    ]);
  });
  afterAll(() => service.stop());

  const read = (query: string, ca?: string, host = '127.0.0.1') =>
    ask(
      `${service.url.replace('127.0.0.1', host)}/mysql${query}`,
      ca,
      "show session status like 'Ssl_version'",
    );

  it('is not encrypted by default', async () => {
    expect(await read('')).toBe('');
  });

  it('is encrypted without verification of the certificate', async () => {
    expect(await read('?ssl=no-verify')).toMatch(/^TLS/);
  });

  it('is verified by the given authority', async () => {
    expect(await read('', authority)).toMatch(/^TLS/);
    expect(await read('?ssl=true', authority)).toMatch(/^TLS/);
  });

  it('is rejected with another authority or host name', async () => {
    await expect(read('', stranger)).rejects.toThrow(/certificate/);
    await expect(read('?ssl=true')).rejects.toThrow(/certificate/);
    await expect(read('?ssl=true', authority, 'localhost')).rejects.toThrow(/altnames/);
  });
});
