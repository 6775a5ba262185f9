/** How long a server asks to be left alone, and how long the next attempt waits. */
import { describe, expect, it } from 'vitest';
import { readRetryAfter } from '../../runtime/queue/requests/retry-after.js';
import { askedDelay } from '../../runtime/queue/temporal/activities/asked-delay.js';

describe('Retry-After', () => {
  it.each([
    [null, null],
    ['3', 3_000],
    ['0', null],
    ['900', 300_000],
    ['soon', null],
    ['Thu, 01 Jan 2026 00:00:00 GMT', null],
    ['Thu, 01 Jan 2199 00:00:00 GMT', 300_000],
  ])('%s is %s ms, of at most 300000', (value, ms) => {
    expect(readRetryAfter(value, 300_000)).toBe(ms);
  });

  it.each([
    [undefined, 1, false],
    [900, 1, false],
    [1_000, 1, false],
    [3_000, 1, true],
    [3_000, 3, false],
    [61_000, 40, true],
  ])('of %s ms after attempt %i replaces the usual delay: %s', (asked, attempt, isLonger) => {
    const delay = askedDelay(asked, attempt);
    expect(delay !== undefined).toBe(isLonger);
    if (delay === undefined || asked === undefined) return;
    expect(delay).toBeGreaterThanOrEqual(asked);
    expect(delay).toBeLessThanOrEqual(asked * 1.25);
  });
});
