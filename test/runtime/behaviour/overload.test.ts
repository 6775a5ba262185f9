/** More requests than a process serves: a bounded number waits, the others are told to come again. */
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { until } from '../../until.js';
import { useServer } from '../harness/use-server.js';
import { adminToken, sampleSettings, type Answer } from '../server-harness.js';

const nothing = (): void => undefined;

const sql = "create table note (id int primary key, body varchar(20)); insert into note values (1, 'x');";
/** Eight requests run at a time: four for each connection. */
const environment = { DATABASE_POOL_MAX: '2', REQUEST_QUEUE_MAX: '10', REQUEST_QUEUE_WAIT: '60s' };

describe.each(sampleSettings(import.meta.url))('on $dialect through $listener', ({ dialect, listener }) => {
  const server = useServer({ dialect, listener, sql, environment });

  /** Holds back the rows of notes. */
  const holdRows = () => {
    const { database } = server();
    const { rows } = database;
    let release = nothing;
    const released = new Promise<void>((resolve) => (release = resolve));
    let running = 0;
    Object.assign(database, {
      rows: async (...call: Parameters<typeof rows>) => {
        // others concern access, before a request takes its place
        if (!call[0].text.includes('note')) return rows(...call);
        running += 1;
        await released;
        return rows(...call);
      },
    });
    return {
      running: () => running,
      release: () => {
        Object.assign(database, { rows });
        release();
      },
    };
  };

  const listRequests = (count: number): Promise<Answer>[] =>
    Array.from({ length: count }, (_, index) =>
      index % 2 === 0
        ? server().request('GET', '/items/note', { as: 'admin' })
        : server().request('POST', '/graphql', { as: 'admin', body: { query: '{ note { id } }' } }),
    );

  it('queues as many requests as configured, and returns 503 with Retry-After to the others', async () => {
    await Promise.all(listRequests(2));
    const held = holdRows();
    let refused = 0;
    const all = listRequests(40).map(async (answer) => {
      if ((await answer).status === 503) refused += 1;
      return answer;
    });
    try {
      await until(() => refused === 22, { timeout: 10_000, seen: () => [refused, held.running()] });
      expect(held.running()).toBe(8);
    } finally {
      held.release();
    }
    const answers = await Promise.all(all);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(18);
    const { codes, errors, headers } = answers.find(({ status }) => status === 503) as Answer;
    expect([codes, errors[0]?.service, headers.get('retry-after')]).toEqual([
      ['SERVICE_UNAVAILABLE'],
      'server',
      '1',
    ]);
    expect((await server().request('GET', '/items/note', { as: 'admin' })).status).toBe(200);
  });

  /** Returns status and `Retry-After` of each request. */
  const statuses = (requests: readonly (readonly [method: string, path: string, body?: object])[]) =>
    Promise.all(
      requests.map(async ([method, path, body]) => {
        const options = { body, ...(path !== '/auth/login' && { as: 'admin' }) };
        const { status, headers } = await server().request(method, path, options);
        return [path, status, headers.get('retry-after')];
      }),
    );

  it('refuses operations and routes of the queue as well, but not what waits for something else', async () => {
    await Promise.all(listRequests(2));
    const held = holdRows();
    let refused = 0;
    const all = listRequests(40).map(async (answer) => {
      if ((await answer).status === 503) refused += 1;
    });
    const status = '/queue/demo/requests/01890000-0000-7000-8000-000000000000/status';
    const paths = ['/users/me', '/permissions/me', '/auth/sessions', '/collections', '/keys', status];
    try {
      await until(() => refused === 22, { timeout: 10_000 });
      expect(await statuses(paths.map((path) => ['GET', path]))).toEqual(
        paths.map((path) => [path, 503, '1']),
      );
      const login = { email: 'nobody@example.com', password: 'wrong' };
      expect(
        await statuses([
          ['GET', '/server/ping'],
          ['GET', '/server/health'],
          ['POST', '/auth/login', login],
        ]),
      ).toEqual([
        ['/server/ping', 200, null],
        ['/server/health', 200, null],
        ['/auth/login', 401, null],
      ]);
    } finally {
      held.release();
    }
    await Promise.all(all);
    expect((await statuses(paths.map((path) => ['GET', path]))).map(([, each]) => each)).toEqual([
      ...Array<number>(5).fill(200),
      404,
    ]);
  });

  it('does not queue requests whose body has not arrived', async () => {
    const sockets: Socket[] = [];
    const { hostname, port, pathname } = new URL(server().url);
    const base = pathname === '/' ? '' : pathname;
    for (let count = 0; count < 30; count += 1) {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.write(
        `${count % 2 === 0 ? 'POST' : 'SEARCH'} ${base}/items/note HTTP/1.1\r\nHost: x\r\n` +
          `Authorization: Bearer ${adminToken}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      );
      sockets.push(socket);
    }
    const answers = await Promise.all(listRequests(18));
    for (const socket of sockets) socket.destroy();
    expect(answers.map(({ status }) => status)).toEqual(Array(18).fill(200));
  });
});
