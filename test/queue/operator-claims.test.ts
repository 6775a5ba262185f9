/** Claims of actions of operators: however slow a process is, each request is acted on once. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createOperatorActions, type OperatorActions } from '../../runtime/queue/operator/actions.js';
import type { RequestLifecycle } from '../../runtime/queue/requests/lifecycle.js';
import { createId } from '../../runtime/queue/store/ids.js';
import {
  claimActions,
  endAction,
  findAction,
  insertAction,
  renewClaim,
} from '../../runtime/queue/store/operator-actions.js';
import { insertRequests } from '../../runtime/queue/store/requests.js';
import { dialectsOf } from '../databases.js';
import { useServer } from '../runtime/harness/use-server.js';
import { until } from '../until.js';
import { newRequest } from './new-request.js';

const dialects = dialectsOf(import.meta.url);

const count = 60;

const createGate = () => {
  const opening = new AbortController();
  const opened = new Promise<void>((resolve) => {
    opening.signal.addEventListener('abort', () => resolve());
  });
  return { opened, open: (): void => opening.abort() };
};

describe.each(dialects)('on %s, an action on requests', (dialect) => {
  const server = useServer({ dialect });
  let processes: OperatorActions[] = [];
  let released: string[] = [];
  let failures: unknown[] = [];
  let writes = 0;
  let gate = createGate();

  const release = async ({ id }: { readonly id: string }): Promise<boolean> => {
    released.push(id);
    await gate.opened;
    return true;
  };

  /** A process that releases requests no sooner than the test lets it. */
  const startProcess = (): OperatorActions => {
    const { database } = server();
    const write: typeof database.write = async (statement) => {
      const result = await database.write(statement);
      writes += 1;
      return result;
    };
    const actions = createOperatorActions({
      database: { ...database, write },
      lifecycle: { release } as unknown as RequestLifecycle,
      cancelWorkflow: async () => undefined,
      onError: (error) => void failures.push(error),
    });
    processes.push(actions);
    return actions;
  };

  const start = async (process: OperatorActions): Promise<string> => {
    const ids = Array.from({ length: count }, () => createId());
    const created = Date.now();
    await insertRequests(
      server().database,
      ids.map((id) => newRequest('test/slow', { id, account: createId(), priority: 0, created })),
    );
    const { id } = await process.start({ action: 'release', search: { ids }, reason: null, user: null });
    return id;
  };

  const find = (id: string) => findAction(server().database, id);
  const untilReleased = (atLeast: number) => until(async () => released.length >= atLeast || null);
  const untilDone = (id: string) => until(async () => (await find(id))?.state === 'done' || null);

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: Date.now() });
    [processes, released, failures] = [[], [], []];
    gate = createGate();
  });
  afterEach(async () => {
    gate.open();
    await Promise.all(processes.map((each) => each.close()));
    vi.useRealTimers();
    if (failures.length > 0) throw new AggregateError(failures);
  });

  it('is not taken over while its process works, however long a batch takes', async () => {
    const id = await start(startProcess());
    await untilReleased(8);
    const [slow, other] = [processes[0] as OperatorActions, startProcess()];
    for (let passed = 0; passed < 60; passed += 10) {
      const seen = await seenOf(id);
      await vi.advanceTimersByTimeAsync(10_000);
      await until(async () => (await seenOf(id)) > seen || null);
      await slow.takeOver();
      await other.takeOver();
    }
    gate.open();
    await untilDone(id);
    expect(released).toHaveLength(count);
    expect(await find(id)).toMatchObject({ done: count, failed: 0 });
  });

  it('ends in a process that stood still, and is continued by another', async () => {
    const id = await start(startProcess());
    await untilReleased(8);
    vi.setSystemTime(Date.now() + 31_000);
    const other = startProcess();
    await other.takeOver();
    await untilReleased(16);
    gate.open();
    await untilDone(id);
    // only what the first process had begun is done again
    expect(released).toHaveLength(count + 8);
    expect(new Set(released).size).toBe(count);
    expect(await find(id)).toMatchObject({ done: count, failed: 0 });
  });

  it('is continued by the same process where no other does', async () => {
    const slow = startProcess();
    const id = await start(slow);
    await untilReleased(8);
    vi.setSystemTime(Date.now() + 31_000);
    await slow.takeOver();
    expect(released).toHaveLength(8);
    gate.open();
    await until(async () => {
      await slow.takeOver();
      return (await find(id))?.state === 'done' || null;
    });
    expect(released).toHaveLength(count + 8);
  });

  it('stops within ten seconds of its abort, also within a batch', async () => {
    const id = await start(startProcess());
    await untilReleased(8);
    expect(await endAction(server().database, id, 'aborted')).toBe(true);
    const before = writes;
    await vi.advanceTimersByTimeAsync(10_000);
    await until(() => writes > before);
    gate.open();
    await Promise.all(processes.map((each) => each.close()));
    expect(released).toHaveLength(8);
  });

  const seenOf = async (id: string): Promise<number> => {
    const [row] = await server().database.query('select date_seen from svc_operator_actions where id = ?', [
      id,
    ]);
    return Number(row?.['date_seen']);
  };

  it('has one claim, also where the clock stands still, and none for the process that has it', async () => {
    const { database } = server();
    const [id, created] = [createId(), Date.now()];
    const rest = { search: {}, reason: null, user: null, total: 0, created };
    await insertAction(database, { id, action: 'release', ...rest });
    const first = await renewClaim(database, { id, seen: created });
    if (first === null) throw new Error('the action was claimed by another process');
    expect(await renewClaim(database, first)).toMatchObject({ id });
    expect(await renewClaim(database, first)).toBeNull();
    const claimed = async (except: ReadonlySet<string>): Promise<readonly string[]> => {
      const claims = await claimActions(database, { before: created + 60_000, except });
      return claims.map((claim) => claim.id);
    };
    expect(await claimed(new Set([id]))).not.toContain(id);
    expect(await claimed(new Set())).toContain(id);
    await endAction(database, id, 'aborted');
  });
});
