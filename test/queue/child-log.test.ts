/** Log lines of a run, as its child process sends them: at once, then in batches, then in samples. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createChildLog, type ChildLog } from '../../runtime/queue/models/children/child-log.js';

describe('the lines of a child process', () => {
  let log: ChildLog;
  /** Of each message: its lines, and how many were left out before them. */
  let sent: (readonly [lines: readonly string[], skipped: number])[] = [];

  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 });
    sent = [];
    log = createChildLog(({ lines, skipped }) => {
      sent.push([lines.map(({ message }) => message), skipped]);
    });
  });
  afterEach(() => vi.useRealTimers());

  const add = (count: number): void => {
    for (let line = 0; line < count; line += 1) log.add(`line ${line}`, 'INFO');
  };
  const sizes = () => sent.map(([lines, skipped]) => [lines.length, skipped]);

  it('are sent at once, up to twenty in a tenth of a second', () => {
    add(20);
    expect(sizes()).toEqual(Array.from({ length: 20 }, () => [1, 0]));
    add(1);
    expect(sent).toHaveLength(20);
    vi.advanceTimersByTime(100);
    expect(sizes().at(-1)).toEqual([1, 0]);
    add(20);
    expect(sent).toHaveLength(41);
  });

  it('are sent by the hundred where there are more, and none is left out', () => {
    add(20 + 250);
    log.flush();
    expect(sizes().slice(20)).toEqual([
      [100, 0],
      [100, 0],
      [50, 0],
    ]);
  });

  it('are left out from the 10 001st on, but for the last hundred of each interval', () => {
    add(10_000);
    log.flush();
    sent = [];
    vi.advanceTimersByTime(100);
    add(1 + 300);
    expect(sizes()).toEqual([[1, 0]]);
    vi.advanceTimersByTime(100);
    expect(sizes()).toEqual([
      [1, 0],
      [100, 200],
    ]);
    expect(sent[1]?.[0].at(-1)).toBe('line 300');
  });

  it('have 8 000 characters at most', () => {
    log.add('x'.repeat(8_001), 'WARN');
    expect(sent[0]?.[0]).toEqual(['x'.repeat(8_000)]);
  });
});
