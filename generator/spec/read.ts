/**
 * Readers that convert nodes to typed values. A node of another shape adds a fault and yields a placeholder,
 * so that one pass finds every fault; a spec with faults is discarded.
 */
import { faultAt, listWords, suggest } from './faults.js';
import type { SpecFault } from './types.js';
import { nodeToData, type MapEntry, type MapNode, type Node } from './yaml.js';

export type Read<Value> = (node: Node, faults: SpecFault[]) => Value;

const unexpected = (node: Node, expected: string, remedy: string): SpecFault =>
  faultAt(node.position, `expected ${expected}, found ${describe(node)}`, remedy);

const describe = (node: Node): string => {
  if (node.kind === 'list') return 'a list';
  if (node.kind === 'map') return 'a mapping';
  if (node.value === null) return 'nothing';
  return typeof node.value === 'string' ? `"${node.value}"` : `the ${typeof node.value} ${node.value}`;
};

/** Reads nonempty text. */
export const text: Read<string> = (node, faults) => {
  if (node.kind === 'scalar' && typeof node.value === 'string' && node.value !== '') return node.value;
  const bare = node.kind === 'scalar' && node.value !== null && node.value !== '';
  faults.push(unexpected(node, 'a text', bare ? 'put it in quotes' : 'write a text'));
  return '';
};

/** Reads text of a format; `what` names it and `remedy` shows an example. */
export const textLike =
  (pattern: RegExp, what: string, remedy: string): Read<string> =>
  (node, faults) => {
    if (node.kind === 'scalar' && typeof node.value === 'number' && !pattern.test(String(node.value))) {
      faults.push(unexpected(node, what, remedy));
      return '';
    }
    const value = text(node, faults);
    if (value !== '' && !pattern.test(value)) {
      faults.push(faultAt(node.position, `"${value}" is not ${what}`, remedy));
    }
    return value;
  };

/** Reads `true` or `false`, unquoted; the placeholder is false. */
export const flag: Read<boolean> = (node, faults) => {
  if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value;
  faults.push(unexpected(node, 'true or false', 'write true or false'));
  return false;
};

/** Reads a whole number, of any sign; the placeholder is 0. */
export const wholeNumber: Read<number> = (node, faults) => {
  if (node.kind === 'scalar' && Number.isInteger(node.value)) return Number(node.value);
  faults.push(unexpected(node, 'a whole number', 'write digits only'));
  return 0;
};

/** Reads text, a number or a boolean. */
export const plainValue: Read<string | number | boolean> = (node, faults) => {
  if (node.kind === 'scalar' && node.value !== null) return node.value;
  faults.push(unexpected(node, 'a plain value', 'write a text, a number, true or false'));
  return '';
};

/** Reads any value as plain data. */
export const anything: Read<unknown> = nodeToData;

/** Reads null, or what `read` reads. */
export const nullable =
  <Value>(read: Read<Value>): Read<Value | null> =>
  (node, faults) =>
    node.kind === 'scalar' && node.value === null ? null : read(node, faults);

/** Reads one of some words. The fault suggests a word that is spelled alike; the placeholder is the first. */
export const oneOf =
  <const Word extends string>(words: readonly [Word, ...Word[]]): Read<Word> =>
  (node, faults) => {
    const value = node.kind === 'scalar' ? String(node.value) : '';
    const word = words.find((candidate) => candidate === value);
    if (word !== undefined) return word;
    const choice = `write ${listWords(words)}`;
    faults.push(unexpected(node, `one of ${words.join(', ')}`, suggest(value, words, choice)));
    return words[0];
  };

/** Reads a list, each item with `read`, so that every faulty item is reported. */
export const listOf =
  <Value>(read: Read<Value>): Read<readonly Value[]> =>
  (node, faults) => {
    if (node.kind === 'list') return node.items.map((item) => read(item, faults));
    faults.push(unexpected(node, 'a list', 'write [a, b], or one entry a line, each after "- "'));
    return [];
  };

/** Reads a mapping with arbitrary keys. */
export const mapOf =
  <Value>(
    read: (entry: MapEntry, key: string, faults: SpecFault[]) => Value,
  ): Read<ReadonlyMap<string, Value>> =>
  (node, faults) =>
    new Map([...entriesOf(node, faults)].map(([key, entry]) => [key, read(entry, key, faults)] as const));

/** Returns the entries of a mapping; for other nodes, none and a fault. */
export const entriesOf = (node: Node, faults: SpecFault[]): MapNode['entries'] => {
  if (node.kind === 'map') return node.entries;
  faults.push(unexpected(node, 'a mapping', 'write one "key: value" a line'));
  return new Map();
};

export interface Property<Value> {
  readonly read: Read<Value>;
  readonly required: boolean;
  /** Value of a missing key; without it, the key stays absent. */
  readonly fallback?: Value;
}

/** Reads a property whose absence is a fault. */
export const required = <Value>(read: Read<Value>): Property<Value> => ({ read, required: true });

/** Reads a property that may be absent; its value is `fallback` then, or the property is absent too. */
export const optional = <Value>(read: Read<Value>, ...[fallback]: [fallback?: Value]): Property<Value> =>
  fallback === undefined ? { read, required: false } : { read, required: false, fallback };

type Properties<Shape> = { readonly [Key in keyof Shape]-?: Property<Exclude<Shape[Key], undefined>> };

/** Reads a mapping with exactly these keys. */
export const record =
  <Shape extends object>(properties: Properties<Shape>): Read<Shape> =>
  (node, faults) => {
    const known = Object.entries<Property<unknown>>(properties);
    const entries = entriesOf(node, faults);
    if (node.kind === 'map')
      faults.push(
        ...unknownKeys(
          entries,
          known.map(([key]) => key),
        ),
      );
    const values = known.flatMap(([key, property]) => {
      const entry = entries.get(key);
      if (entry !== undefined) return [[key, property.read(entry.value, faults)] as const];
      if (property.required) return [[key, readMissing(node, key, { property, faults })] as const];
      return property.fallback === undefined ? [] : [[key, property.fallback] as const];
    });
    return Object.fromEntries(values) as Shape;
  };

const unknownKeys = (entries: MapNode['entries'], known: readonly string[]): SpecFault[] =>
  [...entries]
    .filter(([key]) => !known.includes(key))
    .map(([key, { position }]) =>
      faultAt(position, `unknown key "${key}"`, suggest(key, known, `keys here are ${listWords(known)}`)),
    );

interface Missing {
  readonly property: Property<unknown>;
  readonly faults: SpecFault[];
}

/** Reports a missing key, unless the mapping itself is at fault, and returns its placeholder. */
const readMissing = (node: Node, key: string, { property, faults }: Missing): unknown => {
  if (node.kind === 'map') {
    faults.push(faultAt(node.position, `"${key}" is missing`, `add "${key}: …"`));
  }
  return property.read({ kind: 'scalar', position: node.position, value: null }, []);
};

/** Reads a mapping with some typed keys; others are preserved. */
export const openRecord =
  (reads: ReadonlyMap<string, Read<unknown>>): Read<Readonly<Record<string, unknown>>> =>
  (node, faults) =>
    Object.fromEntries(
      [...entriesOf(node, faults)].map(([key, { value }]) => [
        key,
        (reads.get(key) ?? anything)(value, faults),
      ]),
    );
