/**
 * The circuit breaker of an account's receiver: it opens when most attempts of the last minutes failed, and closes when
 * a single probe succeeds. While it is open, deliveries are postponed and spend no attempts.
 */

export interface Breaker {
  /** Begins an attempt. @returns the function that records its end, or the milliseconds to postpone it */
  begin(): ((end: DeliveryOutcome) => void) | number;
  state(): BreakerState;
}

export type BreakerState = 'closed' | 'open' | 'probing';

/** `unknown` if the attempt says nothing about the receiver, such as one that could not read the database. */
export type DeliveryOutcome = 'ok' | 'failed' | 'unknown';

export interface BreakerOptions {
  /** Returns the time in milliseconds. */
  readonly now?: () => number;
  readonly random?: () => number;
}

/** Milliseconds of attempts that count, in parts that expire one by one. */
const window = 300_000;
const parts = 10;
/** Attempts from which the breaker may open, and the share of them that must have failed. */
const minAttempts = 10;
const maxFailedShare = 0.7;
/** Milliseconds for which it is open, doubled each time a probe fails. */
const [firstOpen, longestOpen] = [30_000, 600_000];
/** Milliseconds after which an attempt is postponed while a probe is made. */
const probeDelay = 5_000;

interface Part {
  readonly start: number;
  attempts: number;
  failed: number;
}

/** Creates a closed breaker. `now` and `random` are for tests. */
export const createBreaker = ({ now = Date.now, random = Math.random }: BreakerOptions = {}): Breaker => {
  let counted: Part[] = [];
  let openUntil: number | null = null;
  let openTimes = 0;
  let isProbing = false;

  /** Adds up to half of a delay, so that postponed deliveries do not return together. */
  const withJitter = (ms: number): number => Math.round(ms * (1 + random() / 2));

  const open = (): void => {
    openUntil = now() + Math.min(longestOpen, firstOpen * 2 ** openTimes);
    openTimes += 1;
    counted = [];
  };

  const count = (failed: boolean): void => {
    const start = Math.floor(now() / (window / parts));
    counted = counted.filter((part) => part.start > start - parts);
    const last = counted.at(-1);
    const part = last?.start === start ? last : { start, attempts: 0, failed: 0 };
    if (part !== last) counted.push(part);
    part.attempts += 1;
    part.failed += Number(failed);
    const attempts = counted.reduce((sum, each) => sum + each.attempts, 0);
    const failures = counted.reduce((sum, each) => sum + each.failed, 0);
    if (attempts >= minAttempts && failures >= attempts * maxFailedShare) open();
  };

  const recordProbe = (end: DeliveryOutcome): void => {
    isProbing = false;
    if (end === 'failed') open();
    if (end !== 'ok') return;
    openUntil = null;
    openTimes = 0;
  };

  /** Attempts that began before the breaker opened do not change it any more. */
  const record = (end: DeliveryOutcome): void => {
    if (openUntil === null && end !== 'unknown') count(end === 'failed');
  };

  return {
    state() {
      if (openUntil === null) return 'closed';
      return isProbing || now() >= openUntil ? 'probing' : 'open';
    },
    begin() {
      if (openUntil === null) return record;
      if (now() < openUntil) return withJitter(openUntil - now());
      if (isProbing) return withJitter(probeDelay);
      isProbing = true;
      return recordProbe;
    },
  };
};
