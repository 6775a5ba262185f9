/** Logs of requests: what is kept, in pages and in streams. */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createId } from '../../runtime/queue/store/ids.js';
import { insertLogs, logStart, parseCursor, readLogs } from '../../runtime/queue/store/logs.js';
import { createLateLogs } from '../../runtime/queue/requests/late-logs.js';
import { createRunLog } from '../../runtime/queue/requests/run-log.js';
import { createStreams } from '../../runtime/queue/http/stream.js';
import type { QueueSettings } from '../../runtime/queue/settings.js';
import type { Statements } from '../../runtime/execute/system-rows.js';
import { dialectsOf } from '../databases.js';
import { until } from '../until.js';
import { startTestServer, type TestServer } from '../runtime/server-harness.js';

const dialects = dialectsOf(import.meta.url);

interface Status {
  readonly status: string;
  readonly logs: readonly { readonly message: string }[];
  readonly logs_cursor?: string;
}

const messagesOf = ({ logs }: Status): readonly string[] => logs.map(({ message }) => message);

describe.each(dialects)('logs on %s', (dialect) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({ dialect, access: { users: { ann: {}, bob: {} } } });
  });
  afterAll(() => server.close());

  const insertRunning = async (who: 'ann' | 'bob'): Promise<string> => {
    const id = createId();
    await server.database.write({
      text:
        'insert into svc_requests (id, account, model, state, attempts, input, date_created) ' +
        "values (?, ?, 'demo/image', 'running', 1, '{}', 1)",
      values: [id, server.ids.users.get(who) ?? ''],
    });
    return id;
  };
  const end = (id: string) =>
    server.database.write({
      text: "update svc_requests set state = 'ended', http_status = 200, date_ended = 2 where id = ?",
      values: [id],
    });
  const logOf = (request: string, attempt = 1, statements: Statements = server.database) =>
    createRunLog({ statements, request, attempt, limits: { headLines: 5, headBytes: 1_000, tailLines: 3 } });
  const write = async (request: string, messages: readonly string[], attempt = 1): Promise<void> => {
    const log = logOf(request, attempt);
    for (const message of messages) log.add(message);
    await log.end();
  };
  const statusOf = async (id: string, query: string, who: 'ann' | 'bob' = 'ann') =>
    server.request('GET', `/queue/demo/image/requests/${id}/status?${query}`, { as: who });
  const stored = async (request: string) =>
    (await readLogs(server.database, [{ request, after: logStart }])).map(
      ({ attempt, seq, message }) => `${attempt}.${seq} ${message}`,
    );

  it('keep the first and the last lines, with a mark in place of the others', async () => {
    const id = createId();
    const log = logOf(id);
    for (let index = 1; index <= 20; index += 1) log.add(`line ${index}`);
    await log.flush();
    log.skip(100);
    await log.end();
    expect(await stored(id)).toEqual([
      ...[1, 2, 3, 4, 5].map((index) => `1.${index} line ${index}`),
      '1.6 112 lines were left out',
      '1.7 line 18',
      '1.8 line 19',
      '1.9 line 20',
    ]);
  });

  it('are cut after 8 000 characters', async () => {
    const id = createId();
    const log = logOf(id);
    log.add('x'.repeat(8_001));
    await log.end();
    expect(await stored(id)).toEqual([`1.1 ${'x'.repeat(8_000)}`]);
  });

  it('keep a null character as a replacement, since not every database can store it', async () => {
    const request = await insertRunning('ann');
    await write(request, ['binary \0 output', 'text']);
    expect(await stored(request)).toEqual(['1.1 binary \uFFFD output', '1.2 text']);
  });

  it('are limited and counted in bytes', async () => {
    const id = createId();
    const log = logOf(id);
    log.add('ö'.repeat(400));
    log.add('€'.repeat(100));
    expect(log.size()).toBe(1_100);
    // the head of 1 000 bytes is full
    for (let index = 1; index <= 4; index += 1) log.add(`line ${index}`);
    await log.end();
    expect((await stored(id)).slice(2)).toEqual([
      '1.3 1 line was left out',
      '1.4 line 2',
      '1.5 line 3',
      '1.6 line 4',
    ]);
  });

  it('have clients follow them again a second after their process ends', async () => {
    const id = await insertRunning('ann');
    const settings = { queueUrl: () => 'https://queue.example' } as QueueSettings;
    const reads: Promise<unknown>[] = [];
    const database: Statements = {
      ...server.database,
      quote: (name) => server.database.quote(name),
      query: (...all) => {
        const read = server.database.query(...all);
        reads.push(read);
        return read;
      },
    };
    const streams = createStreams({ database, settings, observe: () => undefined });
    // nothing is sent before that is known
    let permit: ((isPermitted: boolean) => void) | undefined;
    const isPermitted = () => new Promise<boolean>((resolve) => (permit = resolve));
    const stream = streams.follow({ id, after: null, isPermitted });
    streams.close();
    // an update that was under way finds the stream ended
    permit?.(true);
    await until(() => reads.length > 0);
    await Promise.all(reads);
    await setImmediate();
    expect(String(Buffer.concat(await stream.toArray()))).toBe('retry: 1000\n\n');
  });

  it('wait for a slow reader, of whom no more than a megabyte is kept', async () => {
    const id = await insertRunning('ann');
    const settings = { queueUrl: () => 'https://queue.example' } as QueueSettings;
    const { database } = server;
    const insert = (count: number, from: number): Promise<void> =>
      insertLogs(
        database,
        Array.from({ length: count }, (_, index) => ({
          request: id,
          attempt: 1,
          seq: from + index,
          level: 'INFO' as const,
          message: 'x'.repeat(8_000),
          time: Date.now(),
        })),
      );
    await insert(130, 1);
    const streams = createStreams({ database, settings, observe: () => undefined });
    const stream = streams.follow({ id, after: logStart, isPermitted: async () => true });
    await until(() => stream.readableLength > 1_000_000);
    const kept = stream.readableLength;
    await insert(10, 131);
    // several polls pass
    await setTimeout(1_000);
    expect(stream.readableLength).toBe(kept);
    let received = 0;
    for await (const part of stream) {
      received += String(part).match(/x{8000}/g)?.length ?? 0;
      if (received === 140) break;
    }
    streams.close();
    expect(received).toBe(140);
  });

  it('arrive once when the database is back, also if the answer to a write was lost', async () => {
    const id = createId();
    let failure: 'before' | 'after' | null = 'before';
    const log = logOf(id, 1, {
      ...server.database,
      query: (...all) => server.database.query(...all),
      quote: (...all) => server.database.quote(...all),
      async write(statement) {
        if (failure === 'before') throw new Error('the database is away');
        const result = await server.database.write(statement);
        if (failure === 'after') throw new Error('the connection is lost');
        return result;
      },
    });
    log.add('one');
    await expect(log.flush()).rejects.toThrow('away');
    failure = 'after';
    log.add('two');
    await expect(log.flush()).rejects.toThrow('lost');
    failure = null;
    log.add('three');
    await log.end();
    expect(await stored(id)).toEqual(['1.1 one', '1.2 two', '1.3 three']);
  });

  it('of an attempt that ended while the database was away arrive later, or as a mark with their number', async () => {
    let isAway = true;
    const statements: Statements = {
      ...server.database,
      query: (...all) => server.database.query(...all),
      quote: (...all) => server.database.quote(...all),
      write: async (statement) => {
        if (isAway) throw new Error('the database is away');
        return server.database.write(statement);
      },
    };
    const lost: object[] = [];
    const late = createLateLogs({ onLost: (each) => lost.push(each), interval: 20, maxLines: 4 });
    const ids = [createId(), createId(), createId()] as const;
    for (const id of ids) {
      const log = logOf(id, 1, statements);
      for (let index = 1; index <= 3; index += 1) log.add(`line ${index}`);
      await expect(log.end()).rejects.toThrow('away');
      late.keep(log, { request: id, model: 'demo/image' });
    }
    expect(lost).toEqual(ids.slice(1).map((request) => ({ request, model: 'demo/image', lines: 3 })));
    isAway = false;
    await until(async () => (await stored(ids[2])).length > 0 || null);
    expect(await stored(ids[0])).toEqual(['1.1 line 1', '1.2 line 2', '1.3 line 3']);
    expect(await stored(ids[2])).toEqual(['1.3 3 lines were lost']);
    isAway = true;
    const log = logOf(createId(), 1, statements);
    log.add('line');
    late.keep(log, { request: ids[0], model: 'demo/image' });
    await late.close();
    expect(lost.slice(2)).toEqual([{ request: ids[0], model: 'demo/image', lines: 1 }]);
  });

  it('are paged by the cursor of the status, over attempts', async () => {
    const id = await insertRunning('ann');
    await write(id, ['a', 'b', 'c'], 1);
    await write(id, ['d'], 2);
    const { body } = await statusOf(id, 'logs=1');
    expect([messagesOf(body as Status), (body as Status).logs_cursor]).toEqual([['a', 'b', 'c', 'd'], '2.1']);
    const second = (await statusOf(id, 'logs=1&after=1.2')).body as Status;
    expect([messagesOf(second), second.logs_cursor]).toEqual([['c', 'd'], '2.1']);
    const last = (await statusOf(id, 'logs=1&after=2.1')).body as Status;
    expect([messagesOf(last), last.logs_cursor]).toEqual([[], '2.1']);
    expect((await statusOf(id, 'after=1.2')).body).toMatchObject({ logs: null });
    const faulty = await statusOf(id, 'logs=1&after=soon');
    expect([faulty.status, faulty.body]).toMatchObject([
      422,
      { detail: [{ loc: ['query', 'after'], type: 'value_error.after' }] },
    ]);
    const rest = await server.request('GET', `/requests/${id}/status?logs=true&after=1.3`, { as: 'ann' });
    expect({ status: rest.status, body: rest.body }).toMatchObject({ status: 200 });
    expect(messagesOf(rest.data as Status)).toEqual(['d']);
  });

  /** Follows a request. @returns its messages, of which there are more until it `ended` */
  const follow = (id: string, who: 'ann' | 'bob', lastEvent?: string) => {
    const messages: string[] = [];
    const read = async (): Promise<void> => {
      const answer = await fetch(`${server.url}/queue/demo/image/requests/${id}/status/stream?logs=1`, {
        headers: {
          authorization: `Bearer ${who}-token`,
          ...(lastEvent !== undefined && { 'last-event-id': lastEvent }),
        },
      });
      let text = '';
      for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
        const events = (text + Buffer.from(chunk).toString()).split('\n\n');
        text = events.pop() ?? '';
        for (const event of events.filter((each) => each.startsWith('data: '))) {
          const [data = '', position = ''] = event.split('\n');
          const status = JSON.parse(data.slice('data: '.length)) as Status;
          expect(position).toBe(status.logs_cursor === undefined ? '' : `id: ${status.logs_cursor}`);
          messages.push(...messagesOf(status));
        }
      }
    };
    return { messages, ended: read() };
  };

  it('reach every stream completely, and a resumed stream from its cursor on', async () => {
    const [one, other] = [await insertRunning('ann'), await insertRunning('bob')];
    const streams = [follow(one, 'ann'), follow(other, 'bob'), follow(one, 'ann', '1.2')];
    const expected: Record<string, string[]> = { [one]: [], [other]: [] };
    const logs = [one, other].map(
      (id) => [id, createRunLog({ statements: server.database, request: id, attempt: 1 })] as const,
    );
    for (let round = 0; round < 6; round += 1) {
      for (const [id, log] of logs) {
        log.add(`${id} ${round}`);
        expected[id]?.push(`${id} ${round}`);
        await log.flush();
      }
      if (round === 3) streams.push(follow(one, 'ann'), follow(other, 'bob'));
      // a line at a time and several
      if (round % 3 === 1) continue;
      const lengths = streams.map((_, index) => (index === 2 ? round - 1 : round + 1));
      await until(() => streams.every(({ messages }, at) => messages.length >= (lengths[at] ?? 0)));
    }
    await Promise.all([end(one), end(other)]);
    await Promise.all(streams.map(({ ended }) => ended));
    const [first, second, resumed, third, fourth] = streams.map(({ messages }) => messages);
    expect([first, third]).toEqual([expected[one], expected[one]]);
    expect([second, fourth]).toEqual([expected[other], expected[other]]);
    expect(resumed).toEqual(expected[one]?.slice(2));
  });
});

it.each([
  ['1.17', { attempt: 1, seq: 17 }],
  ['0.0', { attempt: 0, seq: 0 }],
  ['1', null],
  ['-1.2', null],
  ['1.2.3', null],
  ['1.99999999999', null],
])('the cursor %s is %j', (text, cursor) => {
  expect(parseCursor(text)).toEqual(cursor);
});
