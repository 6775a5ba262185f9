/**
 * Which requests receive slots, in random histories of several accounts: the rules of `admission.ts`, checked against all
 * that waits. What a turn reads does not grow with the queue.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admit } from '../../runtime/queue/store/admission.js';
import { createId } from '../../runtime/queue/store/ids.js';
import { ensureModelLock, lockModel } from '../../runtime/queue/store/model-locks.js';
import { insertRequests, reopenRequest } from '../../runtime/queue/store/requests.js';
import { removeIdleAccount } from '../../runtime/queue/store/waiting-accounts.js';
import type { Statements } from '../../runtime/execute/system-rows.js';
import { createRandom } from '../../models/random.js';
import { dialectsOf } from '../databases.js';
import { startTestServer, type TestServer } from '../runtime/server-harness.js';
import { newRequest } from './new-request.js';
import { analyze, rowsRead } from './rows-read.js';

const dialects = dialectsOf(import.meta.url);

interface Entry {
  readonly id: string;
  readonly account: string;
  readonly priority: number;
  readonly created: number;
  round: number;
  state: 'waiting' | 'running' | 'ended';
}

const isBefore = (a: Entry, b: Entry): boolean =>
  a.priority > b.priority || (a.priority === b.priority && a.created < b.created);

/** Findings and actions of one round of admission. */
interface Observed {
  readonly entries: readonly Entry[];
  readonly admitted: readonly Entry[];
  readonly free: number;
  readonly limit: number;
  /** Number of the turn in which an account last received a slot, or began to wait, before this one. */
  readonly turns: ReadonlyMap<string, number>;
}

/** Returns the broken rules. */
const faultsOf = ({ entries, admitted, free, limit, turns }: Observed): readonly string[] => {
  const turnOf = (account: string): number => turns.get(account) ?? 0;
  const faults: string[] = [];
  const runs = (account: string): number =>
    entries.filter((entry) => entry.account === account && entry.state === 'running').length;
  const given = (account: string): number => admitted.filter((entry) => entry.account === account).length;
  const left = entries.filter(({ state, account }) => state === 'waiting' && runs(account) < limit);
  if (admitted.length < free && left.length > 0) faults.push('a slot stays free although a request waits');
  if (admitted.length > free) faults.push('more requests than slots');
  for (const a of admitted) {
    if (runs(a.account) > limit) faults.push('an account runs more than its limit');
    const mine = entries.filter(({ state, account }) => state === 'waiting' && account === a.account);
    if (mine.some((b) => isBefore(b, a))) faults.push('an older request of the account was passed over');
    for (const b of left.filter(({ account }) => account !== a.account)) {
      if (b.priority > a.priority) faults.push('a higher priority was passed over');
      if (b.priority < a.priority) continue;
      const [more, less] = [runs(a.account) - 1, runs(b.account)];
      if (more > less) faults.push('an account that runs less was passed over');
      const isFirst = given(b.account) === 0 && given(a.account) === 1;
      if (more === less && isFirst && turnOf(b.account) < turnOf(a.account))
        faults.push('an account whose turn was longer ago was passed over');
    }
  }
  return faults;
};

describe.each(dialects)('turns on %s', (dialect) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({ dialect });
  });
  afterAll(() => server.close());

  const hold = async <Result>(model: string, body: (statements: Statements) => Promise<Result>) => {
    await ensureModelLock(server.database, model);
    return server.database.transaction(async (statements) => {
      await lockModel(statements, model);
      return body(statements);
    });
  };

  /** Plays a history. @returns the broken rules */
  const play = async (seed: number, steps: number): Promise<readonly string[]> => {
    const faults: string[] = [];
    const random = createRandom(seed);
    const pick = (below: number): number => Math.floor(random() * below);
    const slots = { id: `test/turns-${seed}`, concurrency: { model: 1 + pick(6), account: 1 + pick(3) } };
    const accounts = Array.from({ length: 4 + pick(20) }, () => createId());
    const entries: Entry[] = [];
    const turns = new Map<string, number>();
    let turn = 0;
    /** Accounts that may keep the turn of a request that left the queue without one. */
    const released = new Set<string>();
    const waits = (account: string): boolean =>
      entries.some((entry) => entry.account === account && entry.state === 'waiting');
    const setState = async (entry: Entry, state: 'waiting' | 'ended'): Promise<void> => {
      entry.state = state;
      await server.database.write({
        text: 'update svc_requests set state = ? where id = ?',
        values: [state, entry.id],
      });
    };
    const take = (arrived: readonly Entry[], isHeld: boolean) => async (statements: Statements) => {
      const fresh = arrived.filter(({ round }) => round === 1);
      await insertRequests(
        statements,
        fresh.map((entry) => newRequest(slots.id, entry)),
      );
      for (const { id, round } of arrived.filter(({ round: of }) => of > 1))
        await reopenRequest(statements, { id, round: round - 1 });
      return admit(statements, slots, { now: Date.now(), arrived, isHeld });
    };
    /** A turn in which requests arrive. */
    const step = async (arrived: readonly Entry[], isHeld: boolean): Promise<void> => {
      turn += 1;
      for (const { account } of arrived) if (!waits(account)) turns.set(account, turn);
      for (const account of released) turns.set(account, Number.NaN);
      for (const entry of arrived) {
        if (!entries.includes(entry)) entries.push(entry);
        entry.state = 'waiting';
      }
      const running = entries.filter(({ state }) => state === 'running').length;
      const ids = await hold(slots.id, take(arrived, isHeld));
      const admitted = entries.filter(({ id }) => ids.includes(id));
      expect(new Set(admitted).size).toBe(ids.length);
      expect(admitted.every(({ state }) => state === 'waiting')).toBe(true);
      for (const entry of admitted) entry.state = 'running';
      const free = isHeld ? 0 : slots.concurrency.model - running;
      const limit = isHeld ? 0 : slots.concurrency.account;
      faults.push(...faultsOf({ entries, admitted, free, limit, turns }));
      for (const { account } of admitted) turns.set(account, turn);
    };
    const make = (): Entry => ({
      id: createId(),
      account: accounts[pick(accounts.length)] ?? '',
      priority: -pick(3),
      created: 1_000 + entries.length * 10 + pick(8),
      round: 1,
      state: 'waiting',
    });
    const some = (state: Entry['state']): Entry | undefined => {
      const found = entries.filter((entry) => entry.state === state);
      return found[pick(found.length)];
    };
    for (let at = 0; at < steps; at += 1) {
      const choice = pick(10);
      if (choice < 4) await step(Array.from({ length: 1 + pick(5) }, make), pick(2) === 0);
      const waiting = some('waiting');
      if (choice === 4 && waiting !== undefined) {
        await setState(waiting, 'ended');
        await hold(slots.id, (statements) =>
          removeIdleAccount(statements, { model: slots.id, account: waiting.account }),
        );
      }
      if (choice === 5 && waiting !== undefined) {
        // as an operator releases it
        await setState(waiting, 'ended');
        released.add(waiting.account);
      }
      if (choice === 6) {
        const entry = some('ended');
        if (entry !== undefined) {
          entry.round += 1;
          await step([entry], false);
        }
      }
      if (choice > 6) {
        for (const entry of [some('running'), some('running')]) if (entry) await setState(entry, 'ended');
        await step([], false);
      }
    }
    return faults;
  };

  it('follow the rules, whatever came before', async () => {
    const rounds = process.env.LONG === undefined ? 4 : 60;
    for (let seed = 1; seed <= rounds; seed += 1) expect(await play(seed, 60), `seed ${seed}`).toEqual([]);
  });

  it('give a slot to the account behind more paused ones than are read at once', async () => {
    const model = { id: 'test/paused', concurrency: { model: 1, account: 1 } };
    const entries = Array.from({ length: 20 }, (_, at): Entry => ({
      id: createId(),
      account: createId(),
      priority: at === 19 ? -1 : 0,
      created: 1_000 + at,
      round: 1,
      state: 'waiting',
    }));
    const last = entries.at(-1);
    await hold(model.id, async (statements) => {
      await insertRequests(
        statements,
        entries.map((entry) => newRequest(model.id, entry)),
      );
      await admit(statements, model, { now: 0, arrived: entries, isHeld: true });
    });
    const isPausedAccount = (account: string): boolean => account !== last?.account;
    const admitted = await hold(model.id, (statements) =>
      admit(statements, model, { now: 1, isPausedAccount }),
    );
    expect(admitted).toEqual([last?.id]);
  });

  it('count what an account runs besides how many more it may run', async () => {
    const model = { id: 'test/remaining', concurrency: { model: 5, account: 5 } };
    const account = createId();
    const entries = Array.from({ length: 4 }, (_, at): Entry => ({
      id: createId(),
      account,
      priority: 0,
      created: 1_000 + at,
      round: 1,
      state: 'waiting',
    }));
    const admitTwo = (arrived: readonly Entry[]) =>
      hold(model.id, async (statements) => {
        await insertRequests(
          statements,
          arrived.map((entry) => newRequest(model.id, entry)),
        );
        return admit(statements, model, {
          now: 1,
          arrived,
          remainingOf: async () => new Map([[account, 2]]),
        });
      });
    expect(await admitTwo(entries)).toEqual(entries.slice(0, 2).map(({ id }) => id));
    expect(await admitTwo([])).toEqual(entries.slice(2).map(({ id }) => id));
  });

  /** Stores so many requests of ten accounts, whose model has five slots. */
  const queueOf = async (count: number) => {
    const model = { id: `test/size-${count}`, class: 'none', concurrency: { model: 5, account: 5 } };
    const accounts = Array.from({ length: 10 }, () => createId());
    for (let from = 0; from < count; from += 250) {
      const entries = Array.from({ length: Math.min(250, count - from) }, (_, at): Entry => ({
        id: createId(),
        account: accounts[at % 10] ?? '',
        priority: 0,
        created: 1_000 + from + at,
        round: 1,
        state: 'waiting',
      }));
      await hold(model.id, async (statements) => {
        await insertRequests(
          statements,
          entries.map((entry) => newRequest(model.id, entry)),
        );
        await admit(statements, model, { now: 0, arrived: entries, isHeld: true });
      });
    }
    return model;
  };

  it('read as much of a long queue as of a short one, with as many statements', async () => {
    const costs: { readonly admitted: number; readonly statements: number; readonly rows: number }[] = [];
    for (const model of [await queueOf(100), await queueOf(5_000)]) {
      for (const text of analyze[dialect]) await server.execute(text);
      const cost = await hold(model.id, async (statements) => {
        let count = 0;
        const counted: Statements = {
          ...statements,
          query: (...given) => ((count += 1), statements.query(...given)),
          write: (given) => ((count += 1), statements.write(given)),
        };
        const before = await rowsRead[dialect](statements);
        const admitted = await admit(counted, model, { now: Date.now() });
        const rows = (await rowsRead[dialect](statements)) - before;
        return { admitted: admitted.length, statements: count, rows };
      });
      costs.push(cost);
    }
    const [short, long] = costs;
    // what runs and whose turn it is, oldest of five accounts, slots, turns
    expect(short).toMatchObject({ admitted: 5, statements: 4 });
    expect(long).toMatchObject({ admitted: 5, statements: 4 });
    // 100 requests of the short one wait in all
    expect(long?.rows).toBeLessThan((short?.rows ?? 0) + 30);
  });
});
