/** SQL fragments: text and parameters. Values never become part of the text, except the integers of LIMIT. */
import { findOrCreate } from '../concurrency/bounded-map.js';
import { invalidQuery } from '../../contract/errors.js';
import type { OutOfRangePlaceholder, BindValue } from '../databases/contract.js';

/** The values that a statement is bound from. */
export interface BindInput {
  /** Values of the request's query, by slot. */
  readonly values: readonly unknown[];
  /** The key of the item, or the keys of the parents of a nested list. */
  readonly keys: readonly unknown[];
  /** Maximum number of rows of a nested list that the statement may return; absent for no maximum. */
  readonly maxRows?: number;
  /** Resolves variables such as `$NOW` and `$CURRENT_USER` in rules. */
  readonly resolve: (value: unknown) => unknown;
  /** Resolves variables in values of the client, limited to fields that the client may read. */
  readonly resolveQueryValue: (value: unknown) => unknown;
}

/** A bound value, or a list of them, whose value is read when the statement is rendered. */
export interface Parameter {
  /** The placeholder, such as `?`; for a list, that of one element. */
  readonly placeholder: string;
  /** Returns the value, or for a list the values, `width` per element. */
  read(input: BindInput): BindValue | readonly BindValue[];
  readonly list: boolean;
  readonly width?: number;
  /** The placeholder for values that do not fit `placeholder`. */
  readonly outOfRange?: OutOfRangePlaceholder;
  /** True where the value, a bigint, becomes part of the text instead of being bound. */
  readonly inText?: boolean;
}

/** A fragment: text and parameters in their order. */
export type Sql = readonly (string | Parameter)[];

/** Builds a fragment: arrays are fragments, objects are parameters, everything else is text. */
export const sql = (
  strings: TemplateStringsArray,
  ...parts: readonly (string | number | Parameter | Sql)[]
): Sql => {
  const result: (string | Parameter)[] = [];
  strings.forEach((text, index) => {
    if (text !== '') result.push(text);
    const part = parts[index];
    if (part === undefined) return;
    // not spread into push: a fragment may exceed the maximum number of arguments
    if (isFragment(part)) for (const each of part) result.push(each);
    else result.push(typeof part === 'number' ? String(part) : part);
  });
  return result;
};

const isFragment = (part: string | number | Parameter | Sql): part is Sql => Array.isArray(part);

/** Joins fragments with a text between them. */
export const join = (parts: readonly Sql[], separator: string): Sql =>
  parts.flatMap((part, index) => (index === 0 ? part : [separator, ...part]));

/** A compiled statement. Its text is rendered once per combination of list lengths and placeholders. */
export interface Statement {
  render(input: BindInput): RenderedStatement;
}

/** The text of a statement, and its values in the order of their placeholders. */
export interface RenderedStatement {
  readonly text: string;
  readonly values: readonly BindValue[];
}

/**
 * Texts of a statement by the form of its values. The string object of a text stays the same, since drivers find prepared
 * statements by it.
 */
type Texts = Map<string, string>;

const maxTexts = 128;

/** Compiles a fragment. Where lists vary in length, up to 128 texts of it are kept. */
export const createStatement = (fragment: Sql): Statement => {
  const parameters = parametersOf(fragment);
  if (!parameters.some(isVarying)) return createPlainStatement(fragment, parameters);
  const texts: Texts = new Map();
  return {
    render(input) {
      const values: BindValue[] = [];
      const rendered = bind(parameters, input, values);
      const text = findOrCreate(texts, { key: cacheKey(rendered), maximum: maxTexts }, () =>
        renderText(fragment, rendered),
      );
      return { text, values: limitValues(values) };
    },
  };
};

/** Returns whether the text of the statement depends on the value. */
const isVarying = ({ list, outOfRange, inText }: Parameter): boolean =>
  list || outOfRange !== undefined || inText === true;

/** A parameter as text: `count` placeholders. */
interface RenderedParameter {
  readonly placeholder: string;
  readonly count: number;
}

/** Appends the bound values of the parameters to `values`. Returns how each parameter is rendered. */
const bind = (
  parameters: readonly Parameter[],
  input: BindInput,
  values: BindValue[],
): readonly RenderedParameter[] =>
  parameters.map((parameter) => {
    const value = parameter.read(input);
    const list = Array.isArray(value)
      ? padList(value as readonly BindValue[], parameter)
      : [value as BindValue];
    if (parameter.inText === true) return { placeholder: formatInteger(list[0]), count: 1 };
    for (const each of list) values.push(each);
    return { placeholder: placeholderOf(parameter, list), count: list.length / (parameter.width ?? 1) };
  });

/** Returns the placeholder that fits all of the values. */
export const placeholderOf = (
  { placeholder, outOfRange }: Pick<Parameter, 'placeholder' | 'outOfRange'>,
  values: readonly BindValue[],
): string =>
  outOfRange === undefined || values.every((value) => value === null || outOfRange.fits(value))
    ? placeholder
    : outOfRange.placeholder;

const formatInteger = (value: BindValue | undefined): string => {
  if (typeof value !== 'bigint') throw new TypeError('only whole numbers may be part of a statement');
  return String(value);
};

const cacheKey = (rendered: readonly RenderedParameter[]): string => {
  let shape = '';
  for (const { placeholder, count } of rendered) shape += `${count} ${placeholder},`;
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

/** The largest number of bound values that every database accepts in one statement. */
const maxValues = 32_766;

/** Returns the values. @throws INVALID_QUERY where they are too many */
const limitValues = (values: readonly BindValue[]): readonly BindValue[] => {
  if (values.length <= maxValues) return values;
  throw invalidQuery(
    'the query compares with more values than a database takes at once; ask in several requests',
  );
};

/** Pads a list with its last element, so that few statements serve all lengths. */
const padList = (list: readonly BindValue[], { width = 1 }: Parameter): readonly BindValue[] => {
  if (list.length === 0) return Array.from<BindValue>({ length: width }).fill(null);
  const wanted = paddedLength(list.length / width) * width;
  if (list.length === wanted) return list;
  const padded = [...list];
  for (let from = list.length - width; padded.length < wanted; from += 1) padded.push(padded[from] ?? null);
  return padded;
};

/** Returns the padded length of a list: at most an eighth more, in eight steps between powers of two. */
export const paddedLength = (count: number): number => {
  const step = Math.max(1, 2 ** (Math.floor(Math.log2(count)) - 3));
  return Math.ceil(count / step) * step;
};

const renderText = (fragment: Sql, rendered: readonly RenderedParameter[]): string => {
  let index = 0;
  return fragment
    .map((part) => {
      if (typeof part === 'string') return part;
      const { placeholder, count } = rendered[index++] as RenderedParameter;
      return Array.from({ length: count }).fill(placeholder).join(', ');
    })
    .join('');
};

/**
 * Repeats a fragment for each key of the input, joined by UNION ALL, so that each branch has its own limit.
 * Padded with null keys, which equal nothing. `tail` follows the last branch.
 */
export const repeatFragment = (fragment: Sql, tail: Sql = []): Statement => {
  const texts: Texts = new Map();
  const parameters = parametersOf(fragment);
  const tailParameters = parametersOf(tail);
  return {
    render(input) {
      const count = paddedLength(Math.max(1, input.keys.length));
      const values: BindValue[] = [];
      const branches = Array.from({ length: count }, (_, index) =>
        bind(parameters, { ...input, keys: [input.keys[index] ?? null] }, values),
      );
      const end = bind(tailParameters, input, values);
      const key = `${count};${cacheKey(branches[0] ?? [])};${cacheKey(end)}`;
      const text = findOrCreate(texts, { key, maximum: maxTexts }, () =>
        joinBranches(
          branches.map((each) => renderText(fragment, each)),
          renderText(tail, end),
        ),
      );
      return { text, values: limitValues(values) };
    },
  };
};

/** Joins selects that have limits. A single one is no derived table, whose rows some databases copy. */
const joinBranches = (selects: readonly string[], tail: string): string => {
  const [only] = selects;
  if (selects.length === 1 && only !== undefined && tail === '') return only;
  return selects.map((select, index) => `select * from (${select}) as b${index}`).join(' union all ') + tail;
};
