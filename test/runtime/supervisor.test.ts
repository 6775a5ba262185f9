import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { startReceiver } from '../queue/receiver.js';
import { reservePort } from '../services/ports.js';
import { until } from '../until.js';
import { createWorkplace, type Running, type Workplace, type WorkplaceOptions } from './commands.js';
import { copySystemTables } from './harness/bootstrapped.js';
import { adminToken } from './harness/rows.js';
import { useWorkplaces } from './harness/workplaces.js';

const newWorkplace = useWorkplaces();

/** A workplace with the demo's system tables, and nothing else. */
const bootstrapped = async (options?: WorkplaceOptions): Promise<Workplace> => {
  const place = newWorkplace(options);
  await copySystemTables(place);
  return place;
};

const anywhere = { PORT: '0' };

/** URL of `/items`, once it is served. */
const served = async (running: Running): Promise<string> =>
  (await running.until(/(http:\/\/127\.0\.0\.1:\d+)\/items/))[1] ?? '';

/** The token that the demo prints. */
const tokenOf = (demo: Running) => /token +(\S+)/.exec(demo.output())?.[1];

const get = (url: string) => fetch(url, { headers: { authorization: `Bearer ${adminToken}` } });

describe.each([
  ['with a supervisor', ['start', '--workers', '2']],
  ['without a supervisor', ['start', '--workers', '1']],
])('svc start %s', (_, command) => {
  it('serves, and leaves no process after SIGTERM', async () => {
    const place = await bootstrapped();
    const running = place.start(command, anywhere);
    const url = await served(running);
    expect(await (await fetch(`${url}/server/ping`)).text()).toBe('pong');
    expect(await running.stop('SIGTERM')).toBe(0);
    expect(running.output()).toContain('stopped');
    expect(place.processes()).toEqual([]);
  });

  it('rejects a database without system tables, with a remedy', async () => {
    const running = newWorkplace().start(command, anywhere);
    expect(await running.ended()).toBe(1);
    expect(running.output()).toContain('run "svc bootstrap"');
  });

  it('fails with one message when the port is taken', async () => {
    const place = await bootstrapped();
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const running = place.start(command, { PORT: String(port) });
    expect(await running.ended()).toBe(2);
    const message = `svc: port ${port} of 127.0.0.1 is in use; stop what uses it, or set PORT (or ADMIN_PORT) to another`;
    expect(running.output().split(message)).toHaveLength(2);
    expect(running.output()).not.toMatch(/EADDRINUSE|at .*:\d+:\d+/);
    taken.close();
  });

  it('responds to probes before, while and after it accepts requests', async () => {
    const place = newWorkplace();
    const port = await reservePort();
    const probe = async (path: string): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
      return answer?.status ?? 0;
    };
    const waiting = place.start(command, {
      ...anywhere,
      ADMIN_PORT: String(port),
      DATABASE_URL: 'mysql://nobody@127.0.0.1:1/nowhere',
    });
    await until(async () => (await probe('/live')) === 200);
    expect(await probe('/ready')).toBe(503);
    await waiting.stop('SIGKILL');
    await copySystemTables(place);
    const running = place.start(command, { ...anywhere, ADMIN_PORT: String(port) });
    await served(running);
    expect([await probe('/live'), await probe('/ready'), await probe('/else')]).toEqual([200, 200, 404]);
    await running.stop('SIGTERM');
    expect(await probe('/live')).toBe(0);
  });
});

describe('the supervisor', () => {
  it('ends its request processes when it is killed', async () => {
    const place = await bootstrapped();
    const running = place.start(['start', '--workers', '2'], anywhere);
    await served(running);
    await until(() => place.processes().length >= 3);
    expect(await running.stop('SIGKILL')).toBeNull();
    await until(() => place.processes().length === 0);
  });

  it('replaces a request process that ends', async () => {
    const place = await bootstrapped();
    const running = place.start(['start', '--workers', '2'], {
      ...anywhere,
      LOG_LEVEL: 'debug',
    });
    const url = await served(running);
    const [, first] = await running.until(/request process (\d+) is ready/);
    process.kill(Number(first), 'SIGKILL');
    await running.until(new RegExp(`request process ${first} ended \\(SIGKILL\\)`));
    await running.until(/ended[\s\S]*request process \d+ is ready/);
    expect((await get(`${url}/users`)).status).toBe(200);
    expect(await running.stop('SIGTERM')).toBe(0);
  });

  it('limits the rate of requests over all its processes', async () => {
    const place = await bootstrapped();
    const limit = { RATE_LIMITER_POINTS: '10', RATE_LIMITER_DURATION: '10m' };
    const running = place.start(['start', '--workers', '3'], { ...anywhere, ...limit, LOG_LEVEL: 'debug' });
    const url = await served(running);
    await running.until(/(request process \d+ is ready[\s\S]*){3}/);
    let accepted = 0;
    await until(async () => {
      const { status } = await fetch(`${url}/users`, { headers: { connection: 'close' } });
      accepted += Number(status !== 429);
      return status === 429;
    });
    // each process by itself would accept ten; what one has counted, the others learn within a moment
    expect(accepted).toBeGreaterThanOrEqual(10);
    expect(accepted).toBeLessThan(20);
    expect(await running.stop('SIGTERM')).toBe(0);
  });

  it('finishes requests in progress', async () => {
    const place = await bootstrapped();
    const running = place.start(['start', '--workers', '2'], anywhere);
    const url = await served(running);
    const answers = Array.from({ length: 20 }, () => get(`${url}/users`).then((answer) => answer.status));
    await answers[0];
    const ended = running.stop('SIGTERM');
    const outcomes = await Promise.allSettled(answers);
    // What had not reached the server may be refused; what had is answered.
    const statuses = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await ended).toBe(0);
  });

  it('finishes requests even if a service manager signals every process', async () => {
    const place = await bootstrapped();
    const running = place.start(['start', '--workers', '2'], anywhere);
    const url = await served(running);
    const { stdout } = await place.run(['keys', 'create', '--user', 'admin@example.com']);
    const call = request(`${url}/run/demo/train`, {
      method: 'POST',
      headers: {
        authorization: `Key ${stdout.trim()}`,
        'content-type': 'application/json',
        expect: '100-continue',
      },
    });
    const answered = once(call, 'response');
    call.flushHeaders();
    await once(call, 'continue');
    call.end(JSON.stringify({ model_name: 'm', prompt: 'sea', steps: 20, pause: 0.1 }));
    for (const pid of place.processes()) if (pid !== running.pid) process.kill(pid, 'SIGTERM');
    // its own signal comes after the one that the request processes have got already
    await running.until(/request process \d+ ended/);
    expect(await running.stop('SIGTERM')).toBe(0);
    const [answer] = (await answered) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    expect(place.processes()).toEqual([]);
  });
});

describe('a build', () => {
  const own = { sharesBuilds: false } as const;

  it('is created once and reused until the database changes', async () => {
    const place = await bootstrapped(own);
    const start = async (): Promise<string> => {
      const running = place.start(['start', '--workers', '1'], { ...anywhere, LOG_STYLE: 'json' });
      await served(running);
      await running.stop('SIGTERM');
      return running.output();
    };
    expect(await start()).toContain('"name":"build"');
    expect(await start()).not.toContain('"name":"build"');
    await place.run(['generate', '--no-client']);
    expect(await start()).toContain('"name":"build"');
    rmSync(join(place.directory, '.svc', 'build'), { recursive: true });
    expect(await start()).toContain('"name":"build"');
  });

  it('is written to a temporary folder if the working directory is not writable', async () => {
    const place = newWorkplace(own);
    const tmp = join(place.directory, 'tmp');
    const environment = {
      ...anywhere,
      DATABASE_URL: 'sqlite:data.db',
      TMPDIR: tmp,
      SECRET: '',
      ADMIN_TOKEN: adminToken,
      LOG_LEVEL: 'debug',
    };
    writeFileSync(join(place.directory, 'data.db'), '');
    mkdirSync(tmp);
    writeFileSync(join(place.directory, '.svc'), '');
    const { code, stderr } = await place.run(['bootstrap'], environment);
    expect(code).toBe(2);
    expect(stderr).toContain('.svc/secret cannot be read or created (EEXIST): set SECRET');
    environment.SECRET = 's'.repeat(32);
    await place.run(['bootstrap'], environment);
    const running = place.start(['start', '--workers', '2'], environment);
    const url = await served(running);
    await running.until(/(request process \d+ is ready[^]*){2}/);
    // all processes find the same build
    const reload = { method: 'POST', headers: { authorization: `Bearer ${adminToken}` } };
    expect((await fetch(`${url}/schema/reload`, reload)).status).toBe(204);
    expect(running.output()).not.toContain('the schema has changed');
    expect(await running.stop('SIGTERM')).toBe(0);
    const [folder = '', ...others] = readdirSync(tmp).filter((name) => name.startsWith('svc-build-'));
    expect(others).toEqual([]);
    chmodSync(join(tmp, folder), 0o777);
    const shared = await place.run(['start'], environment);
    expect([shared.code, shared.stderr]).toEqual([
      1,
      expect.stringContaining('is not a folder of this user alone'),
    ]);
  });

  it('does not change generated/ and logs that it is out of date', async () => {
    const place = await bootstrapped(own);
    await place.run(['generate', '--no-client']);
    const { default: Sqlite } = await import('libsql');
    const database = new Sqlite(join(place.directory, '.svc', 'data.db'));
    database.exec('create table shelf (id integer primary key, name varchar(20))');
    database.close();
    const running = place.start(['start', '--workers', '1'], anywhere);
    const url = await served(running);
    expect(running.output()).toContain('generated/ is out of date');
    expect((await get(`${url}/items/shelf`)).status).toBe(200);
    await running.stop('SIGTERM');
    expect(await place.run(['generate', '--no-client', '--check'])).toMatchObject({ code: 1 });
  });
});

// in order: they use one demo, whose first start alone prints its password
describe('svc demo', { shuffle: false }, () => {
  const run = promisify(execFile);

  const place = createWorkplace();
  let running: Running | null = null;

  /** The demo of the folder, which several tests use. */
  const started = async (): Promise<Running> => {
    running ??= place.start(['demo'], anywhere);
    await running.until(/Ctrl-C/);
    return running;
  };

  afterAll(() => place.remove());

  it('serves its own database with working curl lines and login', async () => {
    const first = await started();
    expect(first.output()).not.toContain('DATABASE_URL');
    const lines = first.output().match(/^curl -[gX] .*$/gm) ?? [];
    expect(lines).toHaveLength(3);
    const answers: unknown[] = [];
    for (const line of lines) answers.push(JSON.parse((await run('sh', ['-c', line])).stdout));
    expect(answers).toMatchObject([
      {
        data: [
          { Title: expect.any(String), ArtistId: { Name: expect.any(String) }, Track: expect.any(Array) },
          {},
        ],
      },
      { data: [{ Milliseconds: expect.any(Number) }, {}] },
      { data: { Name: 'Clara Schumann' } },
    ]);
    const login = first.output().match(/^(?:jwt=|curl '\S*\/users\/me).*$/gm) ?? [];
    expect(login).toHaveLength(2);
    // like a terminal, and unlike what Node makes for its children, a file can be opened once more by its name
    const script = ['exec 2>>told', ...login].join('\n');
    const { stdout: me } = await run('sh', ['-c', script], { cwd: place.directory });
    expect(readFileSync(join(place.directory, 'told'), 'utf8')).toContain('"access_token":"eyJ');
    expect(JSON.parse(me)).toEqual({
      data: { email: 'admin@example.com', role: { name: 'Administrator' } },
    });
  });

  it('leaves no process after Ctrl-C; a second start keeps data and token', async () => {
    const first = await started();
    const authorization = `Bearer ${tokenOf(first)}`;
    const kept = await fetch(`${await served(first)}/items/Artist`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ Name: 'Fanny Hensel' }),
    });
    expect(kept.status).toBe(200);
    expect(await first.stop('SIGINT')).toBe(0);
    // what computed the hash ends when it hears of it
    await until(() => place.processes().length === 0);

    running = null;
    const second = await started();
    expect(tokenOf(second)).toBe(tokenOf(first));
    const found = await fetch(`${await served(second)}/items/Artist?filter[Name][_eq]=Fanny%20Hensel`, {
      headers: { authorization },
    });
    expect(await found.json()).toMatchObject({ data: [{ Name: 'Fanny Hensel' }] });
    expect(second.output()).toContain('svc keys create');
  });

  it('runs queue requests and delivers webhooks', async () => {
    const receiver = await startReceiver();
    const demo = await started();
    const lines = demo.output().match(/^(?:id=|curl ").*$/gm) ?? [];
    expect(lines).toHaveLength(3);
    const [submit = '', status = '', result = ''] = lines.map((line) =>
      line.replace('http://127.0.0.1:9000', receiver.url),
    );
    const { stdout: told } = await run('sh', ['-c', `${submit}; echo "$id"; ${status}`]);
    const [id = '', state = ''] = told.split('\n');
    expect(JSON.parse(state)).toMatchObject({
      request_id: id,
      status: expect.stringMatching(/^(IN_|COMPLETED)/),
    });
    await until(() => receiver.received.length > 0);
    const { stdout } = await run('sh', ['-c', `id=${id}; ${result}`]);
    expect(receiver.received[0]?.body).toMatchObject({
      request_id: id,
      status: 'OK',
      payload: JSON.parse(stdout) as object,
    });
    const { images } = JSON.parse(stdout) as { images: { url: string }[] };
    const picture = await (await fetch(images[0]?.url ?? '')).arrayBuffer();
    expect(Buffer.from(picture).subarray(1, 4).toString()).toBe('PNG');
    const ui = /temporal +(http\S+)/.exec(demo.output())?.[1] ?? '';
    expect((await fetch(ui)).status).toBe(200);
    await receiver.close();
  });

  it('serves without Temporal, keeps requests waiting and prints remedies', async () => {
    const place = newWorkplace();
    const none = {
      PATH: '/nowhere',
      HOME: place.directory,
      HTTPS_PROXY: 'http://127.0.0.1:1',
      GOPROXY: 'off',
    };
    const running = place.start(['demo'], { ...anywhere, ...none });
    await running.until(/Ctrl-C/);
    await running.until(/there is no Temporal server.*TEMPORAL_ADDRESS=host:port/s);
    const submit = /^id=\$\((curl .*?) \|/m.exec(running.output())?.[1] ?? '';
    const { stdout } = await run('sh', ['-c', submit]);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'IN_QUEUE' });
    expect(await running.stop('SIGINT')).toBe(0);
    await until(() => place.processes().length === 0);
  });

  it('does not change a database with other tables', async () => {
    const place = await bootstrapped();
    const running = place.start(['demo'], anywhere);
    const url = await served(running);
    expect((await get(`${url}/items/Artist`)).status).toBe(403);
    await running.stop('SIGINT');
  });
});
