/** The errors of named locks. */
import { ApiError } from '../../contract/errors.js';

/** Milliseconds that a named lock is waited for. */
export const defaultLockWait = 60_000;

/** Another process has held a named lock for all of the time. */
export class LockHeld extends ApiError {
  constructor(name: string, wait: number) {
    const explanation = `another process has held the lock "${name}" for ${wait / 1000} seconds; try again later`;
    super('SERVICE_UNAVAILABLE', { service: 'database' }, explanation);
    this.name = 'LockHeld';
  }
}

/** The connection that held a named lock has ended: others may hold the lock now. */
export class LockLost extends Error {
  readonly code = 'LOCK_LOST';
  constructor(name: string) {
    super(`the connection that held the lock "${name}" has ended`);
    this.name = 'LockLost';
  }
}
