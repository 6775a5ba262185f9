/** Prints plain data as code. */
import { array, object, pair, type Code } from './code.js';
import { objectKey, str } from './typescript.js';

/**
 * Prints a value.
 * @param value any JSON value
 */
export const printValue = (value: unknown): Code => {
  if (typeof value === 'string') return str(value);
  if (Array.isArray(value)) return array(value.map(printValue));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  return object(Object.entries(value).map(([key, entry]) => pair(`${objectKey(key)}:`, printValue(entry))));
};
