/** The error of a named lock that was not free in time. */
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
