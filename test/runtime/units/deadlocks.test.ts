import { describe, expect, it } from 'vitest';
import { retryDeadlocks } from '../../../runtime/databases/deadlocks.js';
import { isDeadlock as isMysqlDeadlock } from '../../../runtime/databases/mysql/errors.js';
import { isDeadlock as isPostgresDeadlock } from '../../../runtime/databases/postgres/errors.js';

const deadlock = new Error('deadlock');
const isDeadlock = (error: unknown): boolean => error === deadlock;

/** Runs work that fails a number of times; returns the outcome, and how often it was run. */
const attempt = async (failures: number, error: Error) => {
  let runs = 0;
  const outcome = await retryDeadlocks(isDeadlock, async () => {
    runs += 1;
    if (runs <= failures) throw error;
    return 'stored';
  }).catch((thrown: unknown) => thrown);
  return { runs, outcome };
};

describe('a write that the database ends for another one', () => {
  it('is repeated until it succeeds', async () => {
    expect(await attempt(4, deadlock)).toEqual({ runs: 5, outcome: 'stored' });
  });

  it('fails with its error after five attempts', async () => {
    expect(await attempt(10, deadlock)).toEqual({ runs: 5, outcome: deadlock });
  });
});

it('a write with another error is not repeated', async () => {
  const other = new Error('not unique');
  expect(await attempt(1, other)).toEqual({ runs: 1, outcome: other });
});

it.each([
  ['a deadlock of MySQL', { errno: 1213 }, true, false],
  ['a row that changed after a transaction of MariaDB began', { errno: 1020 }, true, false],
  ['a wait for a lock that took too long', { errno: 1205 }, false, false],
  ['a deadlock of PostgreSQL', { code: '40P01' }, false, true],
  ['transactions that PostgreSQL cannot put in order', { code: '40001' }, false, true],
  ['a repeated key', { code: '23505', errno: 1062 }, false, false],
])('%s: whether the write is repeated', (_, facts, inMysql, inPostgres) => {
  const error = Object.assign(new Error('refused'), facts);
  expect([isMysqlDeadlock(error), isPostgresDeadlock(error)]).toEqual([inMysql, inPostgres]);
});
