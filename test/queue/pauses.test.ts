/** Pauses of operators end at once: no worker runs here, so that no sweep assigns slots. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleDialects } from '../databases.js';
import { until } from '../until.js';
import { startTestQueue, type TestQueue } from './harness.js';
import { createOperator } from './operator-client.js';

const spec = fileURLToPath(new URL('misbehaving-spec', import.meta.url));

describe.each(sampleDialects(import.meta.url))('on %s, a request that waits for', (dialect) => {
  let queue: TestQueue;
  const { act, operate, submit } = createOperator(() => queue, 'admin');

  beforeAll(async () => {
    queue = await startTestQueue(dialect, { spec });
  });
  afterAll(() => queue.close());

  const stateOf = async (id: string): Promise<unknown> =>
    (await queue.database.query('select state from svc_requests where id = ?', [id]))[0]?.['state'];

  it.each([
    ['a model', () => ({ kind: 'model', name: 'test/good' })],
    ['a class', () => ({ kind: 'class', name: 'models' })],
    ['an account', () => ({ kind: 'account', name: queue.ids.users.get('ann') ?? '' })],
    ['an account, by its e-mail address,', () => ({ kind: 'account', name: 'ann@example.com' })],
  ])('%s has a slot when that is resumed', async (_, targetOf) => {
    const target = targetOf();
    await act({ action: 'pause', target });
    const waiting = await until(async () => {
      // the pause may be seen a second late; what was submitted until then leaves its slot
      await queue.database.write({ text: "update svc_requests set state = 'ended'", values: [] });
      const id = await submit('good');
      return (await stateOf(id)) === 'waiting' ? id : null;
    });
    expect(await act({ action: 'resume', target })).toMatchObject({ done: 1, failed: 0 });
    expect(await stateOf(waiting)).toBe('admitted');
    expect(await act({ action: 'resume', target })).toMatchObject({
      done: 0,
      failed: 1,
      errors: [{ message: 'was not paused' }],
    });
  });

  it.each([
    ['account', 'nobody@example.com'],
    ['account', 'ann'],
    ['endpoint', 'example.com'],
    ['endpoint', 'mailto:ann@example.com'],
  ])('%s %s is refused, since nothing would wait', async (kind, name) => {
    const { status, text } = await operate('POST', 'actions', { action: 'pause', target: { kind, name } });
    expect([status, text]).toEqual([400, expect.stringContaining(`the name of an ${kind} is its `)]);
  });
});
