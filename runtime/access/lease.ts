/**
 * Decides how long a process relies on the access version that it has read. Whoever changes access answers only after every
 * lease has run out, so that the rare writer waits instead of every reader.
 */
import { shareReads } from '../concurrency/shared-read.js';

export interface Lease {
  /**
   * Returns the version that was read within the lease; null where it must be read first. Call it at the moment of
   * use: a paused process does not notice that time has passed.
   */
  held(): string | null;
  /** Reads the version at a moment after this call. */
  look(): Promise<string>;
}

export interface LeaseOptions {
  readVersion(): Promise<string>;
  /** Milliseconds; 0: `held` always returns null. */
  readonly duration: number;
}

/** A version, and when reading it began, in milliseconds of the monotonic and of the wall clock. */
interface Look {
  readonly version: string;
  readonly monotonic: number;
  readonly wall: number;
}

/** Creates a lease of `duration` milliseconds, counted from before the version was read. 0 holds nothing. */
export const createLease = ({ readVersion, duration }: LeaseOptions): Lease => {
  let last: Look | null = null;
  let isRenewing = false;

  const look = shareReads(async () => {
    const [monotonic, wall] = [performance.now(), Date.now()];
    const version = await readVersion();
    last = { version, monotonic, wall };
    return version;
  });

  const renew = (): void => {
    if (isRenewing) return;
    isRenewing = true;
    // after a failure, the request that finds the lease expired looks itself
    void look()
      .catch(() => undefined)
      .finally(() => (isRenewing = false));
  };

  return {
    look,
    held() {
      if (last === null) return null;
      const age = performance.now() - last.monotonic;
      // the monotonic clock stands still while some machines sleep
      const drift = Math.abs(Date.now() - last.wall - age);
      if (age >= duration || drift > duration) return null;
      if (age >= duration / 2) renew();
      return last.version;
    },
  };
};
