/** Actions of operators on many requests: with progress, aborted, taken over; pauses of classes; and the commands. */
import { fileURLToPath } from 'node:url';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveriesCommand } from '../../runtime/commands/deliveries.js';
import { requestsCommand } from '../../runtime/commands/requests.js';
import { workersCommand } from '../../runtime/commands/workers.js';
import { createId } from '../../runtime/queue/store/ids.js';
import { insertAction, renewClaim } from '../../runtime/queue/store/operator-actions.js';
import { sampleDialects } from '../databases.js';
import { runCommand } from '../runtime/harness/run-command.js';
import { until } from '../until.js';
import { startTestQueue, type TestQueue } from './harness.js';
import { createOperator } from './operator-client.js';

const spec = fileURLToPath(new URL('misbehaving-spec', import.meta.url));

describe.each(sampleDialects(import.meta.url))('actions of operators on %s', (dialect) => {
  let queue: TestQueue;
  const operator = createOperator(() => queue, 'admin');
  const { act, actionOf, operate, statusOf, submit, untilCompleted, untilEnded } = operator;

  beforeAll(async () => {
    queue = await startTestQueue(dialect, { spec });
    await queue.startWorkers();
  });
  afterAll(() => queue.close());

  /** Stores ended requests of a model, in their order. */
  const insertEnded = async (model: string, count: number): Promise<readonly string[]> => {
    const ids = Array.from({ length: count }, () => createId());
    const account = queue.ids.users.get('bob') ?? '';
    const now = Date.now() - 60_000;
    for (let from = 0; from < count; from += 200) {
      const some = ids.slice(from, from + 200);
      await queue.database.write({
        text:
          'insert into svc_requests (id, account, model, state, input, http_status, date_created, date_ended) values ' +
          some.map(() => "(?, ?, ?, 'ended', '{}', 200, ?, ?)").join(', '),
        values: some.flatMap((id) => [id, account, model, now, now]),
      });
    }
    return ids;
  };

  it('report what they cannot do to a request, and go on with the others', async () => {
    const ids = await insertEnded('test/reported', 25);
    const action = await untilEnded(await act({ action: 'redeliver', ids }));
    expect(action).toMatchObject({ state: 'done', total: 25, done: 0, failed: 25 });
    expect(action.errors).toHaveLength(20);
    expect(ids).toContain(action.errors[0]?.request);
    expect(action.errors[0]?.message).toBe('it has no webhook');
  });

  it('stop when they are aborted, and end only once', async () => {
    await insertEnded('test/aborted', 2_000);
    const { id, total } = await act({ action: 'retry', filter: { model: 'test/aborted' } });
    expect(total).toBe(2_000);
    expect((await operate('DELETE', `actions/${id}`)).status).toBe(204);
    const aborted = await untilEnded({ id });
    expect(aborted.state).toBe('aborted');
    expect(aborted.done + aborted.failed).toBeLessThan(total);
    expect((await operate('DELETE', `actions/${id}`)).codes).toEqual(['UNPROCESSABLE_ENTITY']);
    expect((await operate('DELETE', `actions/${createId()}`)).status).toBe(404);
    const rows = await queue.database.query('select action from svc_activity where item = ? order by id', [
      id,
    ]);
    expect(rows.map(({ action }) => action)).toEqual(['retry', 'abort']);
  });

  it('are continued by a worker where a process that was killed had stopped', async () => {
    const ids = await insertEnded('test/continued', 120);
    const search = { model: 'test/continued', states: ['ended'] as const };
    const id = createId();
    const silentSince = Date.now() - 31_000;
    const action = { id, action: 'redeliver', search, reason: null, user: null, total: 120 } as const;
    await insertAction(queue.database, { ...action, created: silentSince });
    const progress = { position: ids[49] ?? null, done: 0, failed: 50, errors: [] };
    await renewClaim(queue.database, { id, seen: silentSince }, progress);
    await queue.database.write({
      text: 'update svc_operator_actions set date_seen = ? where id = ?',
      values: [silentSince, id],
    });
    expect(await untilEnded({ id })).toMatchObject({ state: 'done', total: 120, failed: 120 });
    expect((await actionOf(id)).errors.map(({ request }) => request)).not.toContain(ids[49]);
  });

  it('pause a class, whose requests wait until it is resumed', async () => {
    const target = { kind: 'class', name: 'models' };
    await act({ action: 'pause', target });
    const waiting = await until(async () => {
      const id = await submit('good');
      const { data } = await operate('GET', 'models');
      const models = data as { id: string; waiting: number; paused: boolean }[];
      const isHeld = models.some((model) => model.id === 'test/good' && model.paused && model.waiting > 0);
      return isHeld ? id : null;
    });
    expect(await statusOf(waiting)).toBe('IN_QUEUE');
    await act({ action: 'resume', target });
    await untilCompleted(waiting);
  });

  it('cancel many at once, also through GraphQL', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => submit('good', { body: { ms: 30_000 } })));
    const query =
      'mutation { operator_actions_create(action: "cancel", filter: { model: "test/good" }, dry_run: true) ' +
      '{ state total } }';
    const { body } = await queue.request('POST', '/graphql/system', { as: 'admin', body: { query } });
    expect(body).toEqual({ data: { operator_actions_create: { state: 'dry_run', total: 3 } } });
    expect(await untilEnded(await act({ action: 'cancel', ids }))).toMatchObject({ total: 3, done: 3 });
    for (const id of ids) await untilCompleted(id);
  });
});

// in order: the last one ends the workers
describe('commands of operators', { shuffle: false }, () => {
  let queue: TestQueue;

  beforeAll(async () => {
    queue = await startTestQueue('sqlite', { spec });
    await queue.startWorkers();
  });
  afterAll(() => queue.close());

  const run = async (command: Parameters<typeof runCommand>[0], ...args: string[]) => {
    const environment = { DATABASE_URL: queue.databaseUrl };
    return runCommand(command, { args, directory: tmpdir(), environment });
  };
  const shown = async (id: string) =>
    JSON.parse((await run(requestsCommand(), 'show', id)).stdout) as {
      readonly request: { readonly state: string; readonly round: number };
      readonly attempts: readonly { readonly error: { readonly message: string } }[];
      readonly deliveries: readonly { readonly state: string; readonly tried: readonly object[] }[];
    };

  it('find a request, why it failed and its webhook, and run it again', async () => {
    queue.receiver.answers.push(410);
    const id = await createOperator(() => queue, 'admin').submit('fail', { hook: '/hook' });
    const failed = await until(async () => {
      const found = await shown(id);
      return found.deliveries[0]?.state === 'failed' ? found : null;
    });
    expect(failed.attempts[0]?.error.message).toBe('a secret');
    expect(failed.deliveries[0]?.tried).toMatchObject([{ number: 1, status: 410 }]);
    const search = ['--model', 'test/fail', '--error', 'runner_server_error'];
    const listed = await run(requestsCommand(), 'list', ...search);
    expect(listed.stdout).toMatch(new RegExp(`^${id} .*ended  test/fail .*runner_server_error\n$`));
    expect((await run(deliveriesCommand(), 'list', '--state', 'failed')).stdout).toContain(
      `failed  1 attempt  ${queue.ids.users.get('ann')}  ${queue.receiver.url}\n`,
    );
    const dry = await run(requestsCommand(), 'retry', ...search, '--dry-run');
    expect(dry.stdout).toBe('1 request matches\n');
    expect((await shown(id)).request.round).toBe(1);
    const begun = await run(requestsCommand(), 'retry', ...search, '--reason', 'repaired');
    expect(begun.stdout).toMatch(/^1 request matches; action [0-9a-f-]{36} begins\n$/);
    const acts = await queue.database.query(
      "select action, item, reason from svc_activity where collection = 'svc_operator_actions'",
      [],
    );
    const item = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
    expect(acts).toEqual([{ action: 'retry', item, reason: 'repaired' }]);
    await until(async () => {
      const { request, deliveries } = await shown(id);
      return (request.round === 2 && deliveries[0]?.state === 'delivered') || null;
    });
    expect((await run(requestsCommand(), 'show', 'x')).stderr).toBe('svc: there is no request x\n');
  });

  it('find requests by tag, time, status and e-mail address, and act on one of them', async () => {
    const { submit, statusOf, untilCompleted } = createOperator(() => queue, 'admin');
    const path = '/requests';
    const body = { model: 'test/good', input: { ms: 30_000 }, tags: { team: 'sea' } };
    const tagged = (await queue.request('POST', path, { as: 'ann', body })).data as { readonly id: string };
    const other = await submit('good', { body: { ms: 30_000 } });
    const find = async (...search: string[]) =>
      (await run(requestsCommand(), 'list', '--state', 'running', ...search)).stdout
        .trim()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.slice(0, 36));
    await until(async () => (await find()).length === 2 || null);
    expect(await find('--tag', 'team=sea', '--account', 'ann@example.com')).toEqual([tagged.id]);
    expect(await find('--after', '2020-01-01', '--before', '2020-01-02')).toEqual([]);
    expect(await find('--http-status', '200')).toEqual([]);
    expect(await find('--delivery', 'failed')).toEqual([]);
    const wrong = await run(requestsCommand(), 'list', '--after', 'yesterday');
    expect([wrong.code, wrong.stderr]).toEqual([1, 'svc: "after" must match format "date-time"\n']);
    const both = await run(requestsCommand(), 'cancel', tagged.id, '--model', 'test/good');
    expect([both.code, both.stderr]).toEqual([1, 'svc: pass either ids or options that search\n']);
    expect((await run(requestsCommand(), 'cancel', 'x')).stderr).toBe('svc: not ids of requests: x\n');
    const nothing = await run(requestsCommand(), 'cancel', '--reason', 'an empty variable');
    expect([nothing.code, nothing.stderr]).toEqual([
      1,
      'svc: pass ids, or options that search, such as --model; --before with the present time matches all\n',
    ]);
    const begun = await run(requestsCommand(), 'cancel', tagged.id);
    const id = /action (\S+) begins/.exec(begun.stdout)?.[1] ?? '';
    await untilCompleted(tagged.id);
    expect(await statusOf(other)).toBe('IN_PROGRESS');
    await until(async () => {
      const { stdout } = await run(requestsCommand(), 'action', id);
      return stdout === 'cancel done: 1 done and 0 not of 1\n' || null;
    });
    const ended = await run(requestsCommand(), 'action', id, '--abort');
    expect([ended.code, ended.stderr]).toEqual([1, 'svc: the action has already ended\n']);
    expect((await run(requestsCommand(), 'action', 'x')).stderr).toBe('svc: there is no action x\n');
    const waiting = {
      id: createId(),
      action: 'cancel',
      search: {},
      reason: null,
      user: null,
      total: 1,
    } as const;
    await insertAction(queue.database, { ...waiting, created: Date.now() });
    const aborted = await run(requestsCommand(), 'action', waiting.id, '--abort');
    expect(aborted.stdout).toBe('cancel aborted: 0 done and 0 not of 1\n');
    expect((await run(requestsCommand(), 'cancel', other)).code).toBe(0);
    await untilCompleted(other);
  });

  it('pause and resume a model, a class, an account and an endpoint', async () => {
    const pauses = () => queue.database.query('select kind, name, reason from svc_pauses order by kind', []);
    const ann = queue.ids.users.get('ann');
    const targets = [
      ['--account', 'ann@example.com', `account ${ann}`],
      ['--class', 'models', 'class models'],
      ['--endpoint', 'https://example.com/hook', 'endpoint https://example.com'],
      ['--model', 'test/good', 'model test/good'],
    ] as const;
    for (const [option, value, text] of targets) {
      const paused = await run(requestsCommand(), 'pause', option, value, '--reason', 'a bad deploy');
      expect(paused.stdout).toBe(`${text} is paused\n`);
    }
    expect((await pauses()).map(({ kind, name, reason }) => [`${kind} ${name}`, reason])).toEqual(
      targets.map(([, , text]) => [text, 'a bad deploy']),
    );
    for (const [option, value, text] of targets)
      expect((await run(requestsCommand(), 'resume', option, value)).stdout).toBe(`${text} is resumed\n`);
    expect(await pauses()).toEqual([]);
    const again = await run(requestsCommand(), 'resume', '--model', 'test/good');
    expect(again).toMatchObject({ code: 0, stdout: 'model test/good was not paused\n' });
    for (const options of [[], ['--model', 'a/b', '--class', 'c']]) {
      const { code, stderr } = await run(requestsCommand(), 'pause', ...options);
      expect([code, stderr]).toEqual([1, 'svc: pass one of --model, --class, --account, --endpoint\n']);
    }
  });

  it('list workers, and drain one, which ends', async () => {
    const second = await queue.startWorkers({ classes: ['models'] });
    const list = async () =>
      JSON.parse((await run(workersCommand(), 'list', '--json')).stdout) as {
        readonly id: string;
        readonly state: string;
        readonly classes: readonly string[];
      }[];
    const running = await until(async () => {
      const found = await list();
      return found.length === 2 && found.every(({ state }) => state === 'running') ? found : null;
    });
    const [first, other] = running.map(({ id }) => id).toSorted() as [string, string];
    expect((await run(workersCommand(), 'list')).stdout).toContain(`${first}  running  `);
    const unknown = await run(workersCommand(), 'drain', 'nobody');
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      'svc: 0 of 1 workers exist and drain; see "svc workers list"\n',
    ]);
    const drained = await run(workersCommand(), 'drain', first, other, '--reason', 'a new version');
    expect(drained.stdout).toBe('2 draining\n');
    const acts = await queue.database.query(
      "select item, reason from svc_activity where action = 'drain'",
      [],
    );
    expect(acts).toEqual([
      { item: 'nobody', reason: null },
      { item: `${first},${other}`, reason: 'a new version' },
    ]);
    await second.ended;
    await until(async () => (await list()).length === 0 || null);
  });
});
