/** Times of operations: ISO 8601 outside, Unix milliseconds inside. */

/** Formats Unix milliseconds as ISO 8601. */
export const toTime = (time: number): string => new Date(time).toISOString();

/** Converts a Unix time in milliseconds to ISO 8601, and null to null. */
export const toTimeOrNull = (time: number | null): string | null => (time === null ? null : toTime(time));

/** Parses ISO 8601 to Unix milliseconds. @throws the error of `toError` for a leap second */
export const fromTime = (name: string, text: string, toError: (reason: string) => Error): number => {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw toError(`"${name}" must match format "date-time"`);
  return time;
};
