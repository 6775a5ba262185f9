/** Restriction of a search to the requests that a bulk action applies to. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { applicableSearch } from '../../runtime/queue/operator/action-search.js';

const [now, day] = [1_800_000_000_000, 86_400_000];

describe('the search of an action', () => {
  beforeAll(() => {
    vi.setSystemTime(now);
  });
  afterAll(() => {
    vi.useRealTimers();
  });

  it('covers the seven days until now', () => {
    expect(applicableSearch('release', {})).toMatchObject({ before: now + 1, after: now + 1 - 7 * day });
  });

  it('leaves out requests that come while it runs, also with a bound in the future', () => {
    expect(applicableSearch('release', { before: now + day })).toMatchObject({
      before: now + 1,
      after: now + 1 - 7 * day,
    });
  });

  it('covers the seven days until an earlier bound', () => {
    const before = now - 30 * day;
    expect(applicableSearch('release', { before })).toMatchObject({ before, after: before - 7 * day });
  });

  it('has no other lower bound with a given one, or with ids', () => {
    expect(applicableSearch('release', { after: 5, before: 9 })).toMatchObject({ after: 5, before: 9 });
    expect(applicableSearch('release', { ids: ['x'] })).not.toHaveProperty('after');
  });
});
