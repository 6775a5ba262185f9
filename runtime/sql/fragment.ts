/** SQL under construction: text with parameters in place. Values never enter the text, save whole numbers of LIMIT. */
import { invalidQuery } from '../errors.js';
import type { Beyond, BindValue } from './dialect.js';

/** What a statement is bound from. */
export interface BindInput {
  /** Slots of the request's query. */
  readonly values: readonly unknown[];
  /** Key of the item, or keys of the parents of a nested list. */
  readonly keys: readonly unknown[];
  /** Replaces `$NOW`, `$CURRENT_USER` and their like. */
  resolve(value: unknown): unknown;
}

export interface Parameter {
  /** One placeholder, e.g. `?`; of a list, one element. */
  readonly placeholder: string;
  /** The value, or for a list the values, `width` per element. */
  read(input: BindInput): BindValue | readonly BindValue[];
  readonly list: boolean;
  readonly width?: number;
  /** Takes the place of `placeholder` where a value does not fit that. */
  readonly beyond?: Beyond;
  /** A whole number, read as a bigint, that is part of the text instead of being bound. */
  readonly inText?: boolean;
}

export type Sql = readonly (string | Parameter)[];

/** Builds a fragment; arrays are fragments, objects parameters, everything else text. */
export const sql = (
  strings: TemplateStringsArray,
  ...parts: readonly (string | number | Parameter | Sql)[]
): Sql => {
  const result: (string | Parameter)[] = [];
  strings.forEach((text, index) => {
    if (text !== '') result.push(text);
    const part = parts[index];
    if (part === undefined) return;
    // one by one: a fragment may be longer than a call takes arguments
    if (isFragment(part)) for (const each of part) result.push(each);
    else result.push(typeof part === 'number' ? String(part) : part);
  });
  return result;
};

const isFragment = (part: string | number | Parameter | Sql): part is Sql => Array.isArray(part);

export const join = (parts: readonly Sql[], separator: string): Sql =>
  parts.flatMap((part, index) => (index === 0 ? part : [separator, ...part]));

/** A finished statement: text is rendered once per combination of list lengths and placeholders. */
export interface Statement {
  render(input: BindInput): RenderedStatement;
}

export interface RenderedStatement {
  readonly text: string;
  readonly values: readonly BindValue[];
}

const maxTexts = 64;

export const createStatement = (fragment: Sql): Statement => {
  const parameters = parametersOf(fragment);
  if (!parameters.some(isVarying)) return createPlainStatement(fragment, parameters);
  const texts = new Map<string, string>();
  return {
    render(input) {
      const lists = parameters.map((parameter) => readPadded(parameter, input));
      const text = remember(texts, shapeOf(parameters, lists), () => renderText(fragment, lists));
      return { text, values: limitValues(boundOf(parameters, lists)) };
    },
  };
};

/** Whether the text depends on the value. */
const isVarying = ({ list, beyond, inText }: Parameter): boolean =>
  list || beyond !== undefined || inText === true;

const placeholderOf = ({ placeholder, beyond, inText }: Parameter, values: readonly BindValue[]): string => {
  if (inText === true) return spellNumber(values[0]);
  return beyond === undefined || values.every((value) => value === null || beyond.fits(value))
    ? placeholder
    : beyond.placeholder;
};

const spellNumber = (value: BindValue | undefined): string => {
  if (typeof value !== 'bigint') throw new TypeError('only whole numbers may be part of a statement');
  return String(value);
};

const boundOf = (
  parameters: readonly Parameter[],
  lists: readonly (readonly BindValue[])[],
): readonly BindValue[] => lists.filter((_, index) => parameters[index]?.inText !== true).flat();

/** What of the values the text depends on. */
const shapeOf = (parameters: readonly Parameter[], lists: readonly (readonly BindValue[])[]): string =>
  parameters
    .map((parameter, index) => {
      const list = lists[index] ?? [];
      const placeholder = placeholderOf(parameter, list);
      return placeholder === parameter.placeholder ? list.length : `${list.length} ${placeholder}`;
    })
    .join();

const parametersOf = (fragment: Sql): readonly Parameter[] =>
  fragment.filter((part): part is Parameter => typeof part !== 'string');

const createPlainStatement = (fragment: Sql, parameters: readonly Parameter[]): Statement => {
  const text = fragment.map((part) => (typeof part === 'string' ? part : part.placeholder)).join('');
  return {
    render: (input) => ({
      text,
      values: limitValues(parameters.map((parameter) => parameter.read(input) as BindValue)),
    }),
  };
};

/** What every database binds to one statement: SQLite 32 766, MariaDB 65 535. */
const maxValues = 32_766;

/** @throws INVALID_QUERY */
const limitValues = (values: readonly BindValue[]): readonly BindValue[] => {
  if (values.length <= maxValues) return values;
  throw invalidQuery(
    'the query compares with more values than a database takes at once; ask in several requests',
  );
};

/** The same text object for the same key: drivers find what they have prepared by it. */
export const remember = (
  texts: Map<string, string>,
  key: string,
  render: () => string,
  most = maxTexts,
): string => {
  const present = texts.get(key);
  if (present !== undefined) return present;
  if (texts.size >= most) texts.clear();
  const text = render();
  texts.set(key, text);
  return text;
};

/** Lists are padded to powers of two with their last element, so that few statements serve all lengths. */
const readPadded = (parameter: Parameter, input: BindInput): readonly BindValue[] => {
  const value = parameter.read(input);
  if (!Array.isArray(value)) return [value as BindValue];
  const width = parameter.width ?? 1;
  const list: BindValue[] =
    value.length === 0 ? Array.from<BindValue>({ length: width }).fill(null) : [...value];
  const wanted = nextPower(list.length / width) * width;
  for (let from = list.length - width; list.length < wanted; from += 1) list.push(list[from] ?? null);
  return list;
};

/** How many elements a list of so many is padded to. */
export const nextPower = (count: number): number => 2 ** Math.ceil(Math.log2(count));

const renderText = (fragment: Sql, lists: readonly (readonly BindValue[])[]): string => {
  let index = 0;
  return fragment
    .map((part) => {
      if (typeof part === 'string') return part;
      const list = lists[index] ?? [null];
      index += 1;
      const count = list.length / (part.width ?? 1);
      return Array.from({ length: count }).fill(placeholderOf(part, list)).join(', ');
    })
    .join('');
};

/**
 * One branch per key of the input, each with a limit of its own, joined by UNION ALL.
 * Padded to powers of two with keys that are null, which nothing equals.
 */
export const repeatFragment = (fragment: Sql): Statement => {
  const texts = new Map<string, string>();
  const parameters = parametersOf(fragment);
  return {
    render(input) {
      const count = nextPower(Math.max(1, input.keys.length));
      const branches = Array.from({ length: count }, (_, index) =>
        parameters.map((parameter) => readPadded(parameter, { ...input, keys: [input.keys[index] ?? null] })),
      );
      const key = `${count};${shapeOf(parameters, branches[0] ?? [])}`;
      const text = remember(texts, key, () =>
        branches
          .map((lists, index) => `select * from (${renderText(fragment, lists)}) as b${index}`)
          .join(' union all '),
      );
      return { text, values: limitValues(branches.flatMap((lists) => boundOf(parameters, lists))) };
    },
  };
};
