/** SQL under construction: text with parameters in place. Values never enter the text, save whole numbers of LIMIT. */
import { invalidQuery } from '../../contract/errors.js';
import type { Beyond, BindValue } from '../databases/contract.js';

/** What a statement is bound from. */
export interface BindInput {
  /** Slots of the request's query. */
  readonly values: readonly unknown[];
  /** Key of the item, or keys of the parents of a nested list. */
  readonly keys: readonly unknown[];
  /** Replaces `$NOW`, `$CURRENT_USER` and their like in rules. */
  resolve(value: unknown): unknown;
  /** The same in the client's own values, which read no more than the client may. */
  resolveAsked(value: unknown): unknown;
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

const maxTexts = 128;

export const createStatement = (fragment: Sql): Statement => {
  const parameters = parametersOf(fragment);
  if (!parameters.some(isVarying)) return createPlainStatement(fragment, parameters);
  const texts = new Map<string, string>();
  return {
    render(input) {
      const values: BindValue[] = [];
      const forms = bind(parameters, input, values);
      const text = remember(texts, shapeOf(forms), () => renderText(fragment, forms));
      return { text, values: limitValues(values) };
    },
  };
};

/** Whether the text depends on the value. */
const isVarying = ({ list, beyond, inText }: Parameter): boolean =>
  list || beyond !== undefined || inText === true;

/** What stands in the text for a parameter: so many placeholders. */
interface Form {
  readonly placeholder: string;
  readonly count: number;
}

/** Appends what is bound for the parameters to `values`. @returns what stands for them in the text */
const bind = (parameters: readonly Parameter[], input: BindInput, values: BindValue[]): readonly Form[] =>
  parameters.map((parameter) => {
    const value = parameter.read(input);
    const list = Array.isArray(value) ? pad(value as readonly BindValue[], parameter) : [value as BindValue];
    if (parameter.inText === true) return { placeholder: spellNumber(list[0]), count: 1 };
    for (const each of list) values.push(each);
    return { placeholder: placeholderOf(parameter, list), count: list.length / (parameter.width ?? 1) };
  });

/** What stands for each of the values. */
export const placeholderOf = (
  { placeholder, beyond }: Pick<Parameter, 'placeholder' | 'beyond'>,
  values: readonly BindValue[],
): string =>
  beyond === undefined || values.every((value) => value === null || beyond.fits(value))
    ? placeholder
    : beyond.placeholder;

const spellNumber = (value: BindValue | undefined): string => {
  if (typeof value !== 'bigint') throw new TypeError('only whole numbers may be part of a statement');
  return String(value);
};

const shapeOf = (forms: readonly Form[]): string => {
  let shape = '';
  for (const { placeholder, count } of forms) shape += `${count} ${placeholder},`;
  return shape;
};

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

/** The most values that every database binds to one statement. */
const maxValues = 32_766;

/** @throws INVALID_QUERY */
const limitValues = (values: readonly BindValue[]): readonly BindValue[] => {
  if (values.length <= maxValues) return values;
  throw invalidQuery(
    'the query compares with more values than a database takes at once; ask in several requests',
  );
};

/**
 * The same text object for the same key: drivers find what they have prepared by it. Of too many the oldest goes; a map
 * of its own for each plan, most of one text, has no room for more bookkeeping.
 */
export const remember = (
  texts: Map<string, string>,
  key: string,
  render: () => string,
  most = maxTexts,
): string => {
  const present = texts.get(key);
  if (present !== undefined) return present;
  const [oldest] = texts.keys();
  if (texts.size >= most && oldest !== undefined) texts.delete(oldest);
  const text = render();
  texts.set(key, text);
  return text;
};

/** Lists are padded with their last element, so that few statements serve all lengths. */
const pad = (list: readonly BindValue[], { width = 1 }: Parameter): readonly BindValue[] => {
  if (list.length === 0) return Array.from<BindValue>({ length: width }).fill(null);
  const wanted = paddedLength(list.length / width) * width;
  if (list.length === wanted) return list;
  const padded = [...list];
  for (let from = list.length - width; padded.length < wanted; from += 1) padded.push(padded[from] ?? null);
  return padded;
};

/** How many elements a list of so many is padded to: at most an eighth more, eight lengths between powers of two. */
export const paddedLength = (count: number): number => {
  const step = Math.max(1, 2 ** (Math.floor(Math.log2(count)) - 3));
  return Math.ceil(count / step) * step;
};

const renderText = (fragment: Sql, forms: readonly Form[]): string => {
  let index = 0;
  return fragment
    .map((part) => {
      if (typeof part === 'string') return part;
      const { placeholder, count } = forms[index++] as Form;
      return Array.from({ length: count }).fill(placeholder).join(', ');
    })
    .join('');
};

/**
 * One branch per key of the input, each with a limit of its own, joined by UNION ALL.
 * Padded with keys that are null, which nothing equals.
 */
export const repeatFragment = (fragment: Sql): Statement => {
  const texts = new Map<string, string>();
  const parameters = parametersOf(fragment);
  return {
    render(input) {
      const count = paddedLength(Math.max(1, input.keys.length));
      const values: BindValue[] = [];
      const branches = Array.from({ length: count }, (_, index) =>
        bind(parameters, { ...input, keys: [input.keys[index] ?? null] }, values),
      );
      const text = remember(texts, `${count};${shapeOf(branches[0] ?? [])}`, () =>
        branches
          .map((forms, index) => `select * from (${renderText(fragment, forms)}) as b${index}`)
          .join(' union all '),
      );
      return { text, values: limitValues(values) };
    },
  };
};
