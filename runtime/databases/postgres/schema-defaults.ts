/** Literal defaults in the spelling in which the server prints them. Pure. */
import { normalizeMoment, type MomentKind } from '../moments.js';

const moments: ReadonlyMap<string, MomentKind> = new Map([
  ['date', 'date'],
  ['time without time zone', 'time'],
  ['timestamp without time zone', 'dateTime'],
  ['timestamp with time zone', 'dateTime'],
]);

/** Returns a default of a type as the server prints it; one that the type does not have as it is. */
export const normalizeDefault = (text: string, dataType: string): string => {
  const moment = moments.get(dataType);
  if (moment !== undefined) return normalizeMoment(text, moment, null);
  if (dataType === 'uuid') return text.toLowerCase();
  return dataType === 'jsonb' ? normalizeJson(text) : text;
};

/** Numbers that would lose digits, and those that the server prints in another way. */
const inexact = /\d{16}|\d[.eE]\d*/;

const normalizeJson = (text: string): string => {
  try {
    return inexact.test(text) ? text : printJson(JSON.parse(text));
  } catch {
    return text;
  }
};

const printJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(printJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([a], [b]) => compareKeys(Buffer.from(a), Buffer.from(b)));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}: ${printJson(each)}`).join(', ')}}`;
};

/** Keys are sorted by their length, then by their bytes. */
const compareKeys = (a: Buffer, b: Buffer): number => a.length - b.length || a.compare(b);
