import { describe, expect, it } from 'vitest';
import { retryDeadlocks } from '../../../runtime/databases/deadlocks.js';

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
