/** Functions of queries, such as `year(born)`, `count(works)` and `json(settings, theme.color)`. */
import { fieldTypes, type FieldType } from './field-types.js';

/** Parts of dates and times, by name, with the attribute of the field types that have them. */
const records = {
  year: 'hasDay',
  month: 'hasDay',
  /** Week 0–53; weeks begin on Sunday, and week 1 is the first one with a Sunday in the year. */
  week: 'hasDay',
  day: 'hasDay',
  /** 1 = Sunday. */
  weekday: 'hasDay',
  hour: 'hasClock',
  minute: 'hasClock',
  second: 'hasClock',
} as const;

export type DatePart = keyof typeof records;

export const dateParts = Object.keys(records) as readonly DatePart[];

/** Functions with whole numbers as results. `count`: the rows of a list, or the elements of JSON. */
export type NumberFunction = DatePart | 'count';

/** `json`: the value at a path of JSON. */
export type FunctionName = NumberFunction | 'json';

export const numberFunctions: readonly NumberFunction[] = [...dateParts, 'count'];

export const functionNames: readonly FunctionName[] = [...numberFunctions, 'json'];

/** Returns whether a function takes a date or time. */
export const isDatePart = (name: FunctionName): name is DatePart => name !== 'count' && name !== 'json';

/** Returns the functions that apply to a field type. */
export const functionsOf = (type: FieldType): readonly FunctionName[] => {
  if (type === 'json') return ['count', 'json'];
  const record = fieldTypes[type];
  return dateParts.filter((part) => record[records[part]] === true);
};

export type FunctionCall =
  | {
      readonly name: NumberFunction;
      /** Name of the field or list. */
      readonly argument: string;
    }
  | {
      readonly name: 'json';
      readonly argument: string;
      /** The text after the last comma; see `parseJsonPath`. Empty where there is no comma. */
      readonly path: string;
    };

const names: ReadonlySet<string> = new Set(functionNames);

/** Parses a call such as `year(born)`; returns null for any other name. */
export const parseCall = (text: string): FunctionCall | null => {
  const found = /^(\w+)\((.*)\)$/s.exec(text);
  const [, name = '', argument = ''] = found ?? [];
  if (!names.has(name) || argument === '') return null;
  if (name !== 'json') return { name: name as NumberFunction, argument };
  const comma = argument.lastIndexOf(',');
  return comma === -1
    ? { name, argument, path: '' }
    : { name, argument: argument.slice(0, comma).trimEnd(), path: argument.slice(comma + 1).trim() };
};

/** Prints a call as `parseCall` reads it. */
export const callToText = (call: FunctionCall): string =>
  call.name === 'json' ? `json(${call.argument}, ${call.path})` : `${call.name}(${call.argument})`;

/** Returns the key of a call in results: `born_year`, `settings_theme_color_json`. */
export const resultName = (call: FunctionCall): string => {
  if (call.name !== 'json') return `${call.argument}_${call.name}`;
  const path = call.path.split(/[.[\]]+/).filter((part) => part !== '');
  return [call.argument, ...path, 'json'].join('_');
};

/** A step into JSON: a member of an object, or an element of a list, counted from 0. */
export type JsonStep = string | number;

/** Maximum steps of a path. */
export const maxJsonSteps = 10;

/** A step, after the point that separates keys. Keys have no character that is special in a path or in SQL, such as NUL. */
const stepPattern = /\.?([^\s\p{Cc}.,[\](){}"'`\\?*]+)|\[(\d{1,9})\]/uy;

/** Parses a path such as `theme.colors[0]`; returns null for any other text, and beyond `maxJsonSteps`. */
export const parseJsonPath = (path: string): readonly JsonStep[] | null => {
  const steps: JsonStep[] = [];
  const text = path.startsWith('[') ? path : `.${path}`;
  for (stepPattern.lastIndex = 0; stepPattern.lastIndex < text.length;) {
    const [whole, key, index] = stepPattern.exec(text) ?? [];
    if (whole === undefined || (key !== undefined && !whole.startsWith('.'))) return null;
    steps.push(key ?? Number(index));
  }
  return steps.length > 0 && steps.length <= maxJsonSteps ? steps : null;
};
