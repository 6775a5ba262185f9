/** Reads names, paths and objects of parameters. */
import { invalidQuery } from '../../contract/errors.js';
import { hasLoneSurrogate, loneSurrogate } from './body.js';
import { asList } from './query-string.js';

/** Maximum nesting; more than `MAX_RELATIONAL_DEPTH` allows. */
export const maxLevels = 64;

/** Splits a path of names at its dots. @throws INVALID_QUERY for more than 64 levels */
export const splitPath = (name: string, parameter: string): readonly string[] => {
  // a dot inside the parentheses of a function belongs to the name of its column
  const path = name.includes('(')
    ? name.split(/\.(?![^(]*\))/, maxLevels + 1)
    : name.split('.', maxLevels + 1);
  if (path.length > maxLevels) throw tooDeep(parameter);
  return path;
};

/** Creates the error for a parameter with too many levels. */
export const tooDeep = (parameter: string): Error =>
  invalidQuery(`"${parameter}" is nested deeper than ${maxLevels} levels`);

/** Reads a comma-separated text, or a list of texts. @throws INVALID_QUERY */
export const readNames = (value: unknown, parameter: string): string[] | null => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return splitNames(value);
  const list = asList(value);
  if (list === null || !list.every((entry) => typeof entry === 'string')) {
    throw invalidQuery(`"${parameter}" must be names separated by commas, or a list of names`);
  }
  return list.flatMap(splitNames);
};

/** Splits at commas and trims names; `\\,` and `\\ ` are part of a name, and so are commas in `json(…)`. */
const splitNames = (text: string): string[] =>
  (text.includes('\\') || text.includes('json(')
    ? splitEscaped(text)
    : text.split(',').map((name) => name.trim())
  ).filter((name) => name !== '');

const splitEscaped = (text: string): string[] =>
  (text.match(/(?:\bjson\([^()]*\)|\\[,\\]|[^,])+/g) ?? []).map((name) =>
    trimEscaped(name).replaceAll(/\\([,\\\s])/g, '$1'),
  );

/** Trims a name; a space after an odd number of backslashes is escaped and kept. */
const trimEscaped = (name: string): string => {
  const text = name.trimStart();
  const cut = text.trimEnd();
  return /(?<!\\)(?:\\\\)*\\$/.test(cut) ? text.slice(0, cut.length + 1) : cut;
};

/** Reads an object, or its JSON text. @throws INVALID_QUERY */
export const readObject = (value: unknown, parameter: string): Readonly<Record<string, unknown>> => {
  const parsed = typeof value === 'string' ? parseJson(value, parameter) : value;
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw invalidQuery(`"${parameter}" must be an object, as JSON or in brackets`);
  }
  return parsed as Record<string, unknown>;
};

const parseJson = (text: string, parameter: string): unknown => {
  if (hasLoneSurrogate(text)) throw invalidQuery(`"${parameter}" has ${loneSurrogate}`);
  try {
    return JSON.parse(text);
  } catch {
    throw invalidQuery(`"${parameter}" is not valid JSON`);
  }
};
