/**
 * Lays out code, a tree of brackets, as the formatter would: on one line where it fits, otherwise one item
 * per line. All texts are printed already (see `typescript.ts`); this module decides line breaks only.
 */
import { lineWidth } from './typescript.js';

export type Code = string | Group | Pair | Union;

/** Brackets with items inside. */
interface Group {
  readonly kind: 'group';
  /** Text before the items, including the bracket. */
  readonly open: string;
  readonly items: readonly Code[];
  readonly close: string;
  /** Padding between bracket and item on one line. */
  readonly pad: '' | ' ';
  readonly separator: ',' | ';';
  /** True where the separator follows the last item in multi-line form. */
  readonly trailing: boolean;
  /** Forces multi-line form. */
  readonly expand: boolean;
  /** Keeps the bracket of the last item on the first line: `call({`. */
  readonly hug: boolean;
}

/** A pair such as `key: value` or `name = value`. */
interface Pair {
  readonly kind: 'pair';
  readonly key: string;
  readonly value: Code;
}

/** `A | B`, or `(A | B)[]` for a list. */
interface Union {
  readonly kind: 'union';
  readonly items: readonly Code[];
  readonly list: boolean;
}

interface LinePosition {
  /** Maximum columns per line. */
  readonly width: number;
  /** Columns in use on the line where the code starts. */
  readonly column: number;
  /** Columns before the first character of that line. */
  readonly indent: number;
  /** Columns to keep free after the code. */
  readonly tail: number;
}

interface Expand {
  readonly expand?: boolean;
}

/**
 * Lays out a key and its value.
 * @param key including its sign: `name:`, `const name =`
 */
export const pair = (key: string, value: Code): Code => ({ kind: 'pair', key, value });

/**
 * Lays out an object literal, `{ a, b }`. `expand` puts each item on a line of its own, even where all fit on
 * one.
 */
export const object = (items: readonly Code[], { expand = false }: Expand = {}): Code =>
  items.length === 0 ? '{}' : { ...brackets('{', '}'), items, pad: ' ', expand };

/**
 * Lays out an array literal. An array of objects or arrays has a line for each item, as the formatter has it.
 */
export const array = (items: readonly Code[]): Code =>
  items.length === 0 ? '[]' : { ...brackets('[', ']'), items, expand: isTable(items) };

/**
 * Lays out a call or a signature with its arguments.
 * @param result text after the closing bracket, such as `: string` of a signature
 */
export const call = (callee: string, items: readonly Code[], result = ''): Code =>
  items.length === 0
    ? `${callee}()${result}`
    : { ...brackets(`${callee}(`, `)${result}`), items, hug: isHuggable(items) };

/** Lays out the type of an object, `{ a: A; b: B }`. */
export const objectType = (items: readonly Code[]): Code =>
  items.length === 0 ? '{}' : { ...brackets('{', '}'), items, pad: ' ', separator: ';' };

/** Prints type arguments: `Name<A, B>`. */
export const generic = (name: string, items: readonly Code[]): Code => ({
  ...brackets(`${name}<`, '>'),
  items,
  trailing: false,
});

/** Lays out the type of an array, with a union in brackets: `(A | B)[]`. */
export const arrayType = (item: Code): Code => {
  if (typeof item === 'string') return `${item}[]`;
  return item.kind === 'group' ? { ...item, close: `${item.close}[]` } : { ...asUnion(item), list: true };
};

/** Creates a union; flattens nested unions. */
export const union = (parts: readonly Code[]): Code => {
  const items = parts.flatMap((part) =>
    typeof part === 'object' && part.kind === 'union' && !part.list ? part.items : [part],
  );
  const [first, second] = items;
  if (first !== undefined && items.length === 1) return first;
  const hugs = items.length === 2 && second === 'null' && typeof first === 'object' && first.kind === 'group';
  return hugs ? { ...first, close: `${first.close} | null` } : { kind: 'union', items, list: false };
};

/**
 * Returns the code as text.
 * @param options `margin`: columns that the writer puts before every line; `tail`: columns after the last one
 */
export const layout = (code: Code, { margin = 0, tail = 0 } = {}): string =>
  render(code, { width: lineWidth - margin, column: 0, indent: 0, tail });

const render = (code: Code, position: LinePosition): string => {
  if (typeof code === 'string') return code;
  const flat = flatten(code);
  if (flat !== null && position.column + columnsOf(flat) + position.tail <= position.width) return flat;
  switch (code.kind) {
    case 'pair':
      return renderPair(code, position);
    case 'union':
      return renderUnion(code, position);
    case 'group':
      return renderGroup(code, position);
  }
};

/** Returns the code on one line, or null if something in it needs several. */
const flatten = (code: Code): string | null => {
  if (typeof code === 'string') return isComment(code) ? null : code;
  if (code.kind === 'pair') return flattenAll([code.value], (value) => `${code.key} ${value}`);
  if (code.kind === 'union') {
    return flattenAll(code.items, (...items) => (code.list ? `(${items.join(' | ')})[]` : items.join(' | ')));
  }
  if (code.expand) return null;
  return flattenAll(code.items, (...items) =>
    [code.open, items.join(`${code.separator} `), code.close].join(code.pad),
  );
};

const flattenAll = (codes: readonly Code[], join: (...texts: string[]) => string): string | null => {
  const texts: string[] = [];
  for (const code of codes) {
    const text = flatten(code);
    if (text === null) return null;
    texts.push(text);
  }
  return join(...texts);
};

/**
 * Prints a pair. Text that does not fit is moved to the next line, unless the key is too short to gain space.
 */
const renderPair = ({ key, value }: Pair, position: LinePosition): string => {
  if (typeof value === 'string') {
    return /^.{1,4}:$/.test(key) ? `${key} ${value}` : `${key}\n${spaces(position.indent + 2)}${value}`;
  }
  if (value.kind === 'union' && !value.list) return key + renderUnion(value, position);
  return `${key} ${render(value, { ...position, column: position.column + key.length + 1 })}`;
};

/** Returns the display width in columns; East Asian characters count as two. */
const columnsOf = (text: string): number =>
  text.length + (text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu)?.length ?? 0);

const renderUnion = ({ items, list }: Union, { width, indent }: LinePosition): string => {
  const inner = indent + 4;
  const lines = items.map(
    (item) => `\n${spaces(indent + 2)}| ${render(item, { width, column: inner, indent: inner, tail: 1 })}`,
  );
  return list ? `(${lines.join('')}\n${spaces(indent)})[]` : lines.join('');
};

const renderGroup = (group: Group, position: LinePosition): string => {
  const last = group.items.at(-1);
  if (!group.hug || !isGroup(last)) return renderLines(group, position);
  const before = flattenAll(group.items.slice(0, -1), (...items) =>
    items.map((item) => `${item}, `).join(''),
  );
  const opening = before === null ? null : group.open + before;
  if (opening === null || position.column + columnsOf(opening) + last.open.length > position.width) {
    return renderLines(group, position);
  }
  return opening + renderLines(last, position) + group.close;
};

const renderLines = (
  { open, items, close, separator, trailing }: Group,
  { width, indent }: LinePosition,
): string => {
  const inner = { width, column: indent + 2, indent: indent + 2, tail: separator.length };
  const lines = items.map((item, index) =>
    renderItem(item, inner, trailing || index < items.length - 1 ? separator : ''),
  );
  return `${open}\n${lines.join('')}${spaces(indent)}${close}`;
};

const renderItem = (item: Code, position: LinePosition, separator: string): string => {
  const margin = spaces(position.indent);
  if (isComment(item)) return `${margin}${item.replaceAll('\n', `\n${margin}`)}\n`;
  // a union that breaks is not indented further between brackets
  const isUnion = typeof item === 'object' && item.kind === 'union' && !item.list;
  const text = render(item, isUnion ? { ...position, indent: position.indent - 2 } : position);
  return `${margin}${text.trimStart()}${separator}\n`;
};

const brackets = (open: string, close: string) =>
  ({
    kind: 'group',
    open,
    close,
    pad: '',
    separator: ',',
    trailing: true,
    expand: false,
    hug: false,
  }) as const;

const asUnion = (code: Pair | Union): Union =>
  code.kind === 'union' ? code : { kind: 'union', items: [code], list: false };

/** Returns whether an item is a comment, which needs its own line. */
const isComment = (code: Code): code is string => typeof code === 'string' && /^\/[/*]/.test(code);

/** Returns whether items form a table: several objects or several lists of more than one item each. */
const isTable = (items: readonly Code[]): boolean => {
  const [first] = items;
  return (
    items.length > 1 &&
    isGroup(first) &&
    /^[[{]$/.test(first.open) &&
    items.every((item) => isGroup(item) && item.open === first.open && item.items.length > 1)
  );
};

const isHuggable = (items: readonly Code[]): boolean => {
  const last = items.at(-1);
  const previous = items.at(-2);
  return isGroup(last) && !(isGroup(previous) && previous.open === last.open);
};

const isGroup = (code: Code | undefined): code is Group => typeof code === 'object' && code.kind === 'group';

const spaces = (count: number): string => ' '.repeat(count);
