/** Functions of queries, such as `year(born)` and `count(works)`, which return whole numbers. */
import type { FieldType } from './field-types.js';

const days = ['date', 'dateTime', 'timestamp'] as const;
const clocks = ['time', 'dateTime', 'timestamp'] as const;

/** Parts of dates and times, by name, with the field types that have them. */
const records = {
  year: days,
  month: days,
  /** Week 0–53; weeks begin on Sunday, and week 1 is the first one with a Sunday in the year. */
  week: days,
  day: days,
  /** 1 = Sunday. */
  weekday: days,
  hour: clocks,
  minute: clocks,
  second: clocks,
} as const satisfies Readonly<Record<string, readonly FieldType[]>>;

export type DatePart = keyof typeof records;

export const dateParts = Object.keys(records) as readonly DatePart[];

/** `count`: the rows of a list, or the elements of JSON. */
export type FunctionName = DatePart | 'count';

export const functionNames: readonly FunctionName[] = [...dateParts, 'count'];

/** Returns whether a function takes a date or time; the other, `count`, takes a list. */
export const isDatePart = (name: FunctionName): name is DatePart => name !== 'count';

/** Returns the functions that apply to a field type. */
export const functionsOf = (type: FieldType): readonly FunctionName[] => {
  const parts = dateParts.filter((part) => (records[part] as readonly FieldType[]).includes(type));
  return type === 'json' ? ['count'] : parts;
};

export interface FunctionCall {
  readonly name: FunctionName;
  /** Name of the field or list. */
  readonly argument: string;
}

const names: ReadonlySet<string> = new Set(functionNames);

/** Parses a call such as `year(born)`; returns null for any other name. */
export const parseCall = (text: string): FunctionCall | null => {
  const found = /^(\w+)\((.*)\)$/s.exec(text);
  const [, name = '', argument = ''] = found ?? [];
  return names.has(name) && argument !== '' ? { name: name as FunctionName, argument } : null;
};

/** Returns the key of a call in results: `born_year`. */
export const resultName = ({ name, argument }: FunctionCall): string => `${argument}_${name}`;
