/** The header `traceparent` of W3C Trace Context, which names a trace, the span that is the parent, and whether it is recorded. */

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const zeros = /^0+$/;

/**
 * Reads the header: version 00, and of later versions the part that is the same, as the standard demands (W3C Trace
 * Context §3.2). @returns it as version 00, in 55 characters; null where it is absent or faulty, for which callers start a
 * trace of their own, and which is no error
 */
export const readTraceparent = (header: string | readonly string[] | undefined): string | null => {
  if (typeof header !== 'string') return null;
  const [, version, trace = '', span = '', flags = '', more] = pattern.exec(header.trim()) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  return zeros.test(trace) || zeros.test(span) ? null : `00-${trace}-${span}-${flags}`;
};

/** Returns the id of the trace that a `traceparent` names: 32 hexadecimal digits. */
export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35);
