/** Narrows values of unknown type. */

/** Returns true for a JSON object, but not for null or an array. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
