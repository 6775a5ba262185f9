/**
 * Parses query strings, `a=1&filter[name][_eq]=x`, to nested values. Objects have no prototype, so that no
 * key is special; `asList` reads an object with the keys 0..n-1 in order as a list.
 */
import { invalidQuery } from '../../contract/errors.js';

/** A value of a query string: texts, nested by brackets. */
export type RawValue = string | RawObject;
export interface RawObject {
  [key: string]: RawValue;
}

const maxDepth = 24;
const maxParameters = 1000;

/**
 * Parses a query string without its `?`.
 * @throws INVALID_QUERY on malformed percent-encoding, too many parameters, too deeply nested brackets, or a
 * parameter that is given both with brackets and without
 */
export const parseQueryString = (text: string): RawObject => {
  const result = createObject();
  if (text === '') return result;
  const parts = text.split('&');
  if (parts.length > maxParameters) {
    throw invalidQuery(
      `more than ${maxParameters} parameters; send the query as the body of a SEARCH request`,
    );
  }
  for (const part of parts) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const name = decode(at === -1 ? part : part.slice(0, at));
    const value = at === -1 ? '' : decode(part.slice(at + 1));
    if (name.includes('[')) assign(result, splitName(name), value);
    else assign(result, [name], value);
  }
  return result;
};

const decode = (text: string): string => {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw invalidQuery('a parameter is not valid percent-encoded UTF-8');
  }
};

/** Splits `filter[a][_eq]` into `filter`, `a` and `_eq`. A name whose brackets are malformed is not split. */
const splitName = (name: string): string[] => {
  const open = name.indexOf('[');
  if (open <= 0 || !name.endsWith(']')) return [name];
  const path = [name.slice(0, open), ...name.slice(open + 1, -1).split('][')];
  if (path.length > maxDepth) throw invalidQuery(`brackets nested deeper than ${maxDepth} levels`);
  return path;
};

const assign = (target: RawObject, path: readonly string[], value: string): void => {
  let object = target;
  for (const key of path.slice(0, -1)) {
    const name = key === '' ? String(Object.keys(object).length) : key;
    const next = object[name];
    if (typeof next === 'string') throw twoForms(path);
    object = next ?? (object[name] = createObject());
  }
  const last = path.at(-1) ?? '';
  const name = last === '' ? String(Object.keys(object).length) : last;
  const present = object[name];
  if (typeof present === 'object' && asList(present) === null) throw twoForms(path);
  object[name] = present === undefined ? value : repeat(present, value);
};

const twoForms = ([name = '']: readonly string[]): Error =>
  invalidQuery(`"${name}" is given both with brackets and without; use one of the two forms`);

/** Adds a repeated parameter: `a=1&a=2` is a list. */
const repeat = (present: RawValue, value: string): RawObject => {
  const list = typeof present === 'object' ? present : createObject({ 0: present });
  list[String(Object.keys(list).length)] = value;
  return list;
};

const createObject = (entries: Record<string, RawValue> = {}): RawObject =>
  Object.assign(Object.create(null) as RawObject, entries);

/** Returns an array, or the values of an object with the keys 0..n-1, as a list; `null` for anything else. */
export const asList = (value: unknown): readonly unknown[] | null => {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return null;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key, index) => key === String(index)) ? Object.values(value) : null;
};
