/** When the breaker of a receiver opens and closes. */
import { describe, expect, it } from 'vitest';
import { createBreaker, type DeliveryOutcome } from '../../runtime/queue/webhooks/breaker.js';

const create = (random = 0) => {
  let time = 0;
  const breaker = createBreaker({ now: () => time, random: () => random });
  const attempt = (end: DeliveryOutcome, times = 1): void => {
    for (let count = 0; count < times; count += 1) {
      const record = breaker.begin();
      if (typeof record === 'number') throw new Error(`postponed by ${record} ms`);
      record(end);
    }
  };
  /** Milliseconds by which an attempt is postponed. */
  const delay = (): number | null => {
    const record = breaker.begin();
    if (typeof record === 'number') return record;
    record('unknown');
    return null;
  };
  return { breaker, attempt, delay, pass: (ms: number) => (time += ms) };
};

describe('the breaker of a receiver', () => {
  it.each<[string, readonly (readonly [DeliveryOutcome, number])[], number | null]>([
    ['opens when ten attempts failed', [['failed', 10]], 30_000],
    ['not before', [['failed', 9]], null],
    [
      'opens at a share of 70 %',
      [
        ['ok', 3],
        ['failed', 7],
      ],
      30_000,
    ],
    [
      'not below',
      [
        ['ok', 4],
        ['failed', 8],
      ],
      null,
    ],
    [
      'ignores attempts that say nothing',
      [
        ['unknown', 20],
        ['failed', 9],
      ],
      null,
    ],
  ])('%s', (_, attempts, expected) => {
    const { attempt, delay } = create();
    for (const [end, times] of attempts) attempt(end, times);
    expect(delay()).toBe(expected);
  });

  it('forgets attempts after five minutes', () => {
    const { attempt, delay, pass } = create();
    attempt('failed', 9);
    pass(301_000);
    attempt('failed', 9);
    expect(delay()).toBe(null);
  });

  it('lets one probe through, and closes when it succeeds', () => {
    const { breaker, attempt, delay, pass } = create();
    attempt('failed', 10);
    pass(30_000);
    const probe = breaker.begin();
    expect([typeof probe, breaker.begin()]).toEqual(['function', 5_000]);
    (probe as (end: DeliveryOutcome) => void)('ok');
    attempt('failed', 9);
    expect(delay()).toBe(null);
  });

  it('stays open twice as long each time a probe fails, at most ten minutes', () => {
    const { attempt, delay, pass } = create();
    attempt('failed', 10);
    const delays = Array.from({ length: 7 }, () => {
      const ms = delay() ?? 0;
      pass(ms);
      attempt('failed');
      return ms / 1000;
    });
    expect(delays).toEqual([30, 60, 120, 240, 480, 600, 600]);
  });

  it('is not closed by an attempt that began before it opened', () => {
    const { breaker, attempt, delay } = create();
    const early = breaker.begin() as (end: DeliveryOutcome) => void;
    attempt('failed', 10);
    early('ok');
    expect(delay()).toBe(30_000);
  });

  it('does not count attempts that began before it opened', () => {
    const { breaker, attempt, delay } = create();
    const early = Array.from({ length: 10 }, () => breaker.begin() as (end: DeliveryOutcome) => void);
    attempt('failed', 10);
    for (const record of early) record('failed');
    expect(delay()).toBe(30_000);
  });

  it('opens for 30 s again after a probe succeeded', () => {
    const { attempt, delay, pass } = create();
    attempt('failed', 10);
    pass(30_000);
    attempt('failed');
    pass(60_000);
    attempt('ok');
    attempt('failed', 10);
    expect(delay()).toBe(30_000);
  });

  it('spreads the deliveries that it postpones', () => {
    const { attempt, delay } = create(1);
    attempt('failed', 10);
    expect(delay()).toBe(45_000);
  });
});
