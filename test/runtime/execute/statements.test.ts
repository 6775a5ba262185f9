/** Which prepared statement leaves when there are too many. */
import { expect, it } from 'vitest';
import { evictStatement, findStatement } from '../../../runtime/databases/statements.js';

it('evicts the least recently used statement beyond the maximum', () => {
  const statements = new Map<string, number>();
  const left: unknown[] = [];
  for (let number = 0; number < 258; number += 1) {
    // asked for again and again
    expect(findStatement(statements, 'select 0')).toBe(number === 0 ? undefined : 0);
    left.push(evictStatement(statements));
    statements.set(`select ${number}`, number);
  }
  expect(left.filter((each) => each !== undefined)).toEqual([
    ['select 1', 1],
    ['select 2', 2],
  ]);
  expect(statements.size).toBe(256);
  expect(findStatement(statements, 'select 1')).toBeUndefined();
});
