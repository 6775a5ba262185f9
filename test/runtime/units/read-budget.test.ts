/** The limits of what one request reads: rows of nested lists, and how many of their statements run at a time. */
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { unlimitedBytes } from '../../../runtime/execute/bytes.js';
import { createReadBudget } from '../../../runtime/execute/read-budget.js';

const budgetOf = (maxRows: number | null) => createReadBudget(maxRows, unlimitedBytes);

/** A statement that runs until it is ended. */
const startStatement = (budget: ReturnType<typeof budgetOf>, running: Set<number>, id: number) => {
  const ending = new AbortController();
  const ended = budget.run(async () => {
    running.add(id);
    if (!ending.signal.aborted) await once(ending.signal, 'abort');
    running.delete(id);
    if (ending.signal.reason instanceof TypeError) throw ending.signal.reason;
  });
  return { ended, end: (error?: TypeError) => ending.abort(error) };
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('statements of nested lists', () => {
  it('run four at a time, and each that ends or fails lets the one that has waited longest run', async () => {
    const running = new Set<number>();
    const budget = budgetOf(null);
    const statements = [0, 1, 2, 3, 4, 5, 6].map((id) => startStatement(budget, running, id));
    expect([...running]).toEqual([0, 1, 2, 3]);
    statements[1]?.end();
    statements[2]?.end(new TypeError('failed'));
    await expect(statements[2]?.ended).rejects.toThrow('failed');
    await turn();
    expect([...running]).toEqual([0, 3, 4, 5]);
    for (const { end } of statements) end();
    await Promise.allSettled(statements.map(({ ended }) => ended));
    expect(running.size).toBe(0);
    const more = [7, 8, 9, 10, 11].map((id) => startStatement(budget, running, id));
    expect([...running]).toEqual([7, 8, 9, 10]);
    for (const { end } of more) end();
    await Promise.all(more.map(({ ended }) => ended));
  });
});

describe('rows of nested lists', () => {
  it('may be exactly as many as allowed, in all lists of a request together', () => {
    const budget = budgetOf(5);
    budget.takeRows(3);
    expect(budget.rowsLeft).toBe(2);
    budget.takeRows(2);
    budget.checkRows(5);
    expect(() => budget.takeRows(1)).toThrow('more than 5 items');
    expect(() => budget.checkRows(6)).toThrow('more than 5 items');
  });

  it('of complete lists are counted over all answers of a request', () => {
    const budget = budgetOf(5);
    budget.answerRows(5);
    expect(() => budget.answerRows(1)).toThrow('more than 5 items');
  });
});
