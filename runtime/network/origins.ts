/** Origins of web pages: listed exactly, or as patterns in which a `*` stands for a part of the host, and another for the port. */

/** `all`, or origins and patterns in the form that `normalizeOrigin` returns. */
export type Origins = 'all' | readonly string[];

const originShape =
  /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9._-]*\*?[a-z0-9._-]*|\[[0-9a-f:]+\])(?::(?:\d{1,5}|\*))?$/;

/** Returns an origin or pattern as browsers spell it, or null if the text is neither. */
export const normalizeOrigin = (text: string): string | null => {
  const origin = text.toLowerCase();
  if (!originShape.test(origin) || origin.endsWith('://')) return null;
  if (origin.includes('*') || !/^https?:/.test(origin)) return origin;
  return URL.canParse(origin) ? new URL(origin).origin : null;
};

/** Compiles the test of whether an origin, as a browser sends it, is in the list. */
export const compileOrigins = (origins: Origins): ((origin: string) => boolean) => {
  if (origins === 'all') return () => true;
  const exact = new Set(origins);
  const patterns = origins.filter((origin) => origin.includes('*')).map(toExpression);
  return (origin) => exact.has(origin) || patterns.some((pattern) => pattern.test(origin));
};

const toExpression = (pattern: string): RegExp => {
  const [scheme = '', place = ''] = pattern.split('://');
  const [host = '', port] = place.split(/:(?=[\d*]+$)/);
  const text = `${escape(scheme)}://${host.split('*').map(escape).join('[a-z0-9._-]+')}`;
  return new RegExp(`^${text}${port === undefined ? '' : `:${port.replace('*', '\\d+')}`}$`);
};

const escape = (text: string): string => text.replace(/[.+[\]]/g, '\\$&');

/** Returns whether a pattern can match hosts of other owners: any but `*.` before a domain of two or more labels. */
export const matchesForeignHosts = (origin: string): boolean => {
  const host = origin.replace(/^.*:\/\//, '').replace(/:[\d*]+$/, '');
  return host.includes('*') && !/^\*(?:\.[a-z0-9_-]+){2,}$/.test(host);
};
