/** Fairness with workers and Temporal: many requests of one account do not delay others. `LONG=1`: 10 000. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestQueue, type TestQueue } from './harness.js';
import { until } from '../until.js';

const crowd = process.env.LONG === undefined ? 400 : 10_000;
const slots = 4;
/** Milliseconds for one request: Temporal may have a crowd of its own. */
const patience = 100_000;
const spec = fileURLToPath(new URL('spec', import.meta.url));

interface Turn {
  readonly id: string;
  readonly created: number;
  readonly admitted: number;
  readonly ended: number;
}

/** Number of requests that got a slot while it waited for one. */
const between = (turns: readonly Turn[], { created, admitted }: Turn): number =>
  turns.filter((turn) => turn.admitted > created && turn.admitted < admitted).length;

describe('a model whose four slots are all in use', () => {
  let queue: TestQueue;
  let model: Server;
  let running = 0;
  let mostRunning = 0;

  beforeAll(async () => {
    model = createServer((_request, response) => {
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      setTimeout(() => {
        running -= 1;
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      }, 50);
    });
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    vi.stubEnv('TEST_SLOTS_URL', `http://127.0.0.1:${(model.address() as AddressInfo).port}/`);
    queue = await startTestQueue('mariadb', { spec });
    for (let from = 0; from < crowd; from += 50) {
      await Promise.all(Array.from({ length: 50 }, () => submit('ann')));
    }
    await queue.startWorkers();
    await until(async () => ((await turnsOf('ann')).length > 2 * slots ? true : null), {
      timeout: patience,
    });
  }, 1_200_000);
  afterAll(async () => {
    vi.unstubAllEnvs();
    await queue.close();
    model.close();
  });

  const submit = async (who: 'ann' | 'bob', headers: Record<string, string> = {}): Promise<string> => {
    const options = { body: {}, headers: { ...queue.auth[who], ...headers } };
    const answer = await queue.request('POST', '/queue/test/slots', options);
    expect(answer.status).toBe(200);
    return (answer.body as { request_id: string }).request_id;
  };
  /** Requests of an account that have been given a slot, in that order. */
  const turnsOf = async (who: 'ann' | 'bob'): Promise<Turn[]> => {
    const rows = await queue.database.query(
      'select id, date_created, date_admitted, date_ended from svc_requests where account = ? and ' +
        'date_admitted is not null order by date_admitted',
      [queue.ids.users.get(who) ?? ''],
    );
    return rows.map((row) => ({
      id: String(row.id),
      created: Number(row.date_created),
      admitted: Number(row.date_admitted),
      ended: Number(row.date_ended ?? Number.POSITIVE_INFINITY),
    }));
  };
  const ended = (who: 'ann' | 'bob', id: string): Promise<Turn> =>
    until(async () => (await turnsOf(who)).find((turn) => turn.id === id && turn.ended < Infinity) ?? null, {
      timeout: patience,
    });

  it(`runs one request of another account after one slot is free, not after ${crowd} requests`, async () => {
    for (let index = 0; index < 5; index += 1) {
      const single = await ended('bob', await submit('bob'));
      const others = await turnsOf('ann');
      process.stdout.write(
        `${JSON.stringify({ waited: single.admitted - single.created, before: between(others, single) })}\n`,
      );
      // slots that were given while it was being stored
      expect(between(others, single)).toBeLessThanOrEqual(slots);
    }
    expect((await turnsOf('ann')).length).toBeLessThan(crowd);
  });

  it('starts requests with higher priority first, within an account', async () => {
    const low = await submit('bob', { 'x-svc-queue-priority': 'low' });
    await ended('bob', await submit('bob'));
    // ann's requests of normal priority come first
    expect((await turnsOf('bob')).map(({ id }) => id)).not.toContain(low);
  });

  it('never runs more requests than it has slots', () => {
    expect(mostRunning).toBeGreaterThan(1);
    expect(mostRunning).toBeLessThanOrEqual(slots);
  });
});
