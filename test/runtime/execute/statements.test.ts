/** Which prepared statement leaves when there are too many. */
import { expect, it } from 'vitest';
import { createStatements } from '../../../runtime/databases/statements.js';

it('evicts the least recently used statement beyond the maximum', () => {
  const left: unknown[] = [];
  const statements = createStatements<{ number: number }>((text, { number }) => left.push([text, number]));
  for (let number = 0; number < 258; number += 1) {
    // asked for again and again
    expect(statements.get('select 0')).toEqual(number === 0 ? undefined : { number: 0 });
    statements.set(`select ${number}`, { number });
  }
  expect(left).toEqual([
    ['select 1', 1],
    ['select 2', 2],
  ]);
  expect(statements.size).toBe(256);
  expect(statements.get('select 1')).toBeUndefined();
  // those that the server has closed by itself
  statements.clear();
  expect(left).toHaveLength(2);
});
