/** Writes whose outcome is unknown, because the connection was lost before the database acknowledged them. */
import { codeOf, isNetworkError } from './network-errors.js';

/** The connection was lost after a write or a commit was sent and before the database acknowledged it. */
export class UnknownOutcome extends Error {
  constructor(cause: unknown) {
    super('the connection was lost before the database acknowledged the write', { cause });
  }
}

/**
 * Runs a statement that stores something when it succeeds.
 * @throws UnknownOutcome when the database did not answer; every other error means that nothing is stored
 */
export const acknowledged = async <Result>(run: () => Promise<Result>): Promise<Result> => {
  try {
    return await run();
  } catch (error) {
    throw isUnanswered(error) ? new UnknownOutcome(error) : error;
  }
};

/** A database that ends a connection with an error has rolled back; one that sends nothing may have committed. */
const isUnanswered = (error: unknown): boolean =>
  isNetworkError(error) || codeOf(error) === 'PROTOCOL_CONNECTION_LOST';
