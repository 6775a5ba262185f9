/** Helpers shared by the operations on keys, requests and webhooks of a user. */
import { apiError, type ApiError } from '../../contract/errors.js';
import type { OperationContext } from './context.js';

export const accountOf = async (context: OperationContext): Promise<string> => {
  const { user } = await context.principal();
  if (user === null) throw new Error('an operation for users was called by nobody');
  return user.id;
};

/** Returns the same error for missing objects and those of other users. */
export const absent = (what: string, id: string): ApiError =>
  apiError('ROUTE_NOT_FOUND', { path: id }, `there is no such ${what}`);

/** Formats Unix milliseconds as ISO 8601. */
export const toTime = (time: number): string => new Date(time).toISOString();
export const toTimeOrNull = (time: number | null): string | null => (time === null ? null : toTime(time));

/** The moment that a text of this format names. @throws for a leap second, which no clock of ours has */
export const fromTime = (name: string, text: string, refuse: (reason: string) => ApiError): number => {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw refuse(`"${name}" must match format "date-time"`);
  return time;
};
