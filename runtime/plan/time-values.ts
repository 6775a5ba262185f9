/** Parses dates, times and timestamps. Pure. */
import type { FieldDeclaration } from '../../contract/fields.js';
import { accept, refuse, type Reader } from './parsed-value.js';

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/;
const timePattern = /^(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?$/;
const dateTimePattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/i;

/** Accepts a date with a time, and returns its date. */
export const readDate: Reader = (value, field) => {
  const dateTime = typeof value === 'string' ? normalizeDateTime(value, field) : null;
  return dateTime === null ? refuse('a date, YYYY-MM-DD') : accept(dateTime.slice(0, 10));
};

const isDate = (text: string): boolean => {
  const match = datePattern.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
};

const daysIn = (year: number, month: number): number => {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
};

/** Accepts `HH:MM`, with seconds and a fraction if given. */
export const readTime: Reader = (value, field) => {
  const time = typeof value === 'string' ? normalizeTime(value, field) : null;
  return time === null ? refuse('a time, HH:MM:SS') : accept(time);
};

const normalizeTime = (text: string, field: FieldDeclaration): string | null => {
  const match = timePattern.exec(text);
  if (match === null) return null;
  const [, hours = '', minutes = '', seconds = '00', fraction = ''] = match;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  return `${hours}:${minutes}:${seconds}${formatFraction(fraction, field)}`;
};

/**
 * Formats a fraction with at min the digits of the column and no other trailing zeros, so that equal times
 * are equal texts.
 */
const formatFraction = (digits: string, { fraction = 0 }: FieldDeclaration): string => {
  const digitsShown = digits.slice(0, 6).replace(/0+$/, '').padEnd(fraction, '0');
  return digitsShown === '' ? '' : `.${digitsShown}`;
};

/** Accepts ISO 8601. A timestamp with an offset is converted to UTC. */
export const readDateTime: Reader = (value, field) => {
  const dateTime = typeof value === 'string' ? normalizeDateTime(value, field) : null;
  if (dateTime !== null) return accept(dateTime);
  return refuse(
    field.type === 'timestamp' ? 'a timestamp, YYYY-MM-DDTHH:MM:SSZ' : 'a date and time, YYYY-MM-DDTHH:MM:SS',
  );
};

/** Returns `YYYY-MM-DD HH:MM:SS[.ffffff]` in UTC, or null for an invalid text. A missing zone means UTC. */
const normalizeDateTime = (text: string, field: FieldDeclaration): string | null => {
  const match = dateTimePattern.exec(text.trim());
  if (match === null || match[1] === undefined || !isDate(match[1])) return null;
  const time = normalizeTime(match[2] ?? '00:00:00', field);
  if (time === null) return null;
  return toUtc(`${match[1]} ${time}`, match[3] ?? 'Z');
};

const toUtc = (dateTime: string, zone: string): string | null => {
  if (zone === 'Z') return dateTime;
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  if (match === null) return dateTime;
  const minutes = (Number(match[2]) * 60 + Number(match[3])) * (match[1] === '-' ? 1 : -1);
  const [whole = '', fraction] = dateTime.split('.');
  const time = Date.parse(`${whole.replace(' ', 'T')}Z`) + minutes * 60_000;
  if (Number.isNaN(time)) return null;
  const utc = new Date(time).toISOString().slice(0, 19).replace('T', ' ');
  // years outside 0000 to 9999 have a sign
  if (!/^\d/.test(utc)) return null;
  return fraction === undefined ? utc : `${utc}.${fraction}`;
};
