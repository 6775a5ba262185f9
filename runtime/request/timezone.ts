/** Parses the `timezone` of a query: an IANA name. */
import { invalidQuery } from '../../contract/errors.js';

/**
 * Returns the canonical name of a time zone; `null` for UTC and where the parameter is absent.
 * @throws INVALID_QUERY for a name that is not in the IANA database
 */
export const readTimeZone = (value: unknown): string | null => {
  if (value === undefined || value === null || value === '') return null;
  const zone = typeof value === 'string' ? canonicalZone(value) : undefined;
  if (zone === undefined) throw invalidQuery('"timezone" must be an IANA name such as Europe/Warsaw');
  return zone === 'UTC' ? null : zone;
};

const canonicalZone = (name: string): string | undefined => {
  // an offset such as `+02:00`, which Intl accepts as well, is not a name
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
};
