/** When a delivery is tried again, and the connections that deliveries share. */
import { afterEach, describe, expect, it } from 'vitest';
import { createAgents, type Agents } from '../../runtime/queue/webhooks/agents.js';
import { attemptTimeout, retryDelay } from '../../runtime/queue/webhooks/retries.js';

const hours = 3_600_000;

describe('the delay before the next attempt', () => {
  it.each([
    [1, 5_000],
    [2, 10_000],
    [13, 5_000 * 2 ** 12],
    [14, 6 * hours],
    [31, 6 * hours],
  ])('after attempt %d is %d ms ± 25 %%', (number, milliseconds) => {
    expect([0, 0.5, 1].map((random) => retryDelay(number, null, () => random))).toEqual([
      milliseconds * 0.75,
      milliseconds,
      milliseconds * 1.25,
    ]);
  });

  it('is at least the Retry-After of the receiver', () => {
    expect([0, 0.5, 1].map((random) => retryDelay(1, 60_000, () => random))).toEqual([
      60_000, 67_500, 75_000,
    ]);
    expect(retryDelay(5, 1_000, () => 0.5)).toBe(80_000);
  });

  it('is short for the first attempt', () => {
    expect([1, 2, 31].map(attemptTimeout)).toEqual([15_000, 120_000, 120_000]);
  });
});

describe('connections', () => {
  let agents: Agents;
  afterEach(() => agents.close());

  it('are separate for each account and receiver', () => {
    agents = createAgents({ policy: { allowed: [], http: true } });
    const first = agents.of('ann', 'https://example.com/a');
    expect(agents.of('ann', 'https://example.com/b?c')).toBe(first);
    for (const [account, url] of [
      ['ben', 'https://example.com/a'],
      ['ann', 'http://example.com/a'],
      ['ann', 'https://example.com:8443/a'],
    ] as const)
      expect(agents.of(account, url)).not.toBe(first);
  });

  it('are closed after 256 others have been used', () => {
    agents = createAgents({ policy: { allowed: [], http: true } });
    const [first, second] = [agents.of('a', 'https://1.example'), agents.of('a', 'https://2.example')];
    for (let each = 3; each <= 256; each += 1) agents.of('a', `https://${each}.example`);
    expect(agents.of('a', 'https://1.example')).toBe(first);
    agents.of('a', 'https://257.example');
    expect(agents.of('a', 'https://1.example')).toBe(first);
    expect(second.closed).toBe(true);
    expect(agents.of('a', 'https://2.example')).not.toBe(second);
  });
});
