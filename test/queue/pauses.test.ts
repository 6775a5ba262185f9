/** Pauses of operators end at once: no worker runs here, so that no sweep assigns slots. */
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestsCommand } from '../../runtime/commands/requests.js';
import { createId } from '../../runtime/queue/store/ids.js';
import { insertPause } from '../../runtime/queue/store/pauses.js';
import { sampleDialects } from '../databases.js';
import { runCommand } from '../runtime/harness/run-command.js';
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
    ['model', 'test/god', 'there is no model "test/god"; expected one of demo/'],
    ['class', 'model', 'there is no class "model"; expected one of '],
    ['account', 'nobody@example.com', 'there is no account "nobody@example.com"'],
    ['account', 'ann', 'there is no account "ann"'],
    ['account', createId(), 'expected its id or its e-mail address'],
    ['endpoint', 'example.com', 'the name of an endpoint is its scheme'],
    ['endpoint', 'mailto:ann@example.com', 'the name of an endpoint is its scheme'],
  ])('%s %s is refused, since nothing would wait', async (kind, name, reason) => {
    const { status, text } = await operate('POST', 'actions', { action: 'pause', target: { kind, name } });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({
      errors: [{ message: expect.stringContaining(reason) as string }],
    });
    const command = await runCommand(requestsCommand(), {
      args: ['pause', `--${kind}`, name],
      directory: tmpdir(),
      environment: { DATABASE_URL: queue.databaseUrl },
    });
    expect([command.code, command.stderr]).toEqual([1, expect.stringContaining(reason)]);
  });

  it('an account that was deleted is resumed', async () => {
    const target = { kind: 'account', name: createId() } as const;
    await insertPause(queue.database, { ...target, reason: null, user: null, created: Date.now() });
    expect(await act({ action: 'resume', target })).toMatchObject({ done: 1, failed: 0 });
  });
});
