/** Parsed query strings are kept from their second use on, and not without end. */
import { expect, it } from 'vitest';
import { parseCachedQuery } from '../../../runtime/items/parsed-queries.js';

const isKept = (text: string): boolean => parseCachedQuery(text) === parseCachedQuery(text);

it('keeps a query from its second use on', () => {
  const [first, second] = [parseCachedQuery('limit=100001'), parseCachedQuery('limit=100001')];
  expect(second).not.toBe(first);
  expect(parseCachedQuery('limit=100001')).toBe(second);
});

it('forgets a query after a thousand others', () => {
  parseCachedQuery('limit=100002');
  const kept = parseCachedQuery('limit=100002');
  for (let other = 0; other < 1_000; other += 1) {
    parseCachedQuery(`offset=${other}`);
    parseCachedQuery(`offset=${other}`);
  }
  expect(parseCachedQuery('limit=100002')).not.toBe(kept);
});

it('forgets a query that was used once after a thousand others', () => {
  parseCachedQuery('limit=100003');
  for (let other = 0; other < 1_000; other += 1) parseCachedQuery(`page=${other}`);
  expect(isKept('limit=100003')).toBe(false);
});

it('does not keep long queries', () => {
  const text = `search=${'x'.repeat(2_048)}`;
  parseCachedQuery(text);
  expect(isKept(text)).toBe(false);
});
