/** Reads when a server asks to be called again. */

/**
 * Parses `Retry-After`, seconds or a date (RFC 9110 §10.2.3).
 * @param value null or undefined if the header is absent
 * @param most milliseconds to which the wait is limited
 * @returns milliseconds above 0, or null where the header is absent, invalid or in the past
 */
export const readRetryAfter = (value: string | null | undefined, most: number): number | null => {
  if (value === null || value === undefined) return null;
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(wait) || wait <= 0 ? null : Math.min(wait, most);
};
