/**
 * Parses YAML to a tree in which every key and value has its position. Mappings are Maps, so that no key is
 * special.
 */
import {
  EVENT_ID,
  SCALAR_STYLE,
  YAMLException,
  constructFromEvents,
  getScalarValue,
  parseEvents,
  type Event,
  type ScalarEvent,
} from 'js-yaml';
import { faultAt } from './faults.js';
import type { Position, SpecFault } from './types.js';

export type Node = ScalarNode | ListNode | MapNode;

interface ScalarNode {
  readonly kind: 'scalar';
  readonly position: Position;
  readonly value: string | number | boolean | null;
}

interface ListNode {
  readonly kind: 'list';
  readonly position: Position;
  readonly items: readonly Node[];
}

export interface MapNode {
  readonly kind: 'map';
  readonly position: Position;
  readonly entries: ReadonlyMap<string, MapEntry>;
}

export interface MapEntry {
  /** Position of the key. */
  readonly position: Position;
  readonly value: Node;
}

/**
 * Parses YAML 1.2 with the core schema: no merge keys, dates stay text. Returns null for invalid text, with
 * the reason in `faults`.
 */
export const parseYaml = (text: string, file: string, faults: SpecFault[]): Node | null => {
  const events = readEvents(text, file, faults);
  if (events === null) return null;
  const positionAt = createPositionLookup(text, file);
  const documents = events.filter((event) => event.type === EVENT_ID.DOCUMENT).length;
  if (documents !== 1) {
    const message = documents === 0 ? 'the file is empty' : `the file holds ${documents} documents`;
    faults.push(faultAt(positionAt(0), message, 'write one mapping'));
    return null;
  }
  const cursor: Cursor = { text, events, positionAt, faults, anchors: new Map(), next: 1 };
  return readNode(cursor, positionAt(0));
};

const readEvents = (text: string, file: string, faults: SpecFault[]): Event[] | null => {
  try {
    return parseEvents(text, { filename: file });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { line = 0, column = 0 } = error.mark ?? {};
    const position = { file, line: line + 1, column: column + 1 };
    faults.push(faultAt(position, `not valid YAML: ${error.reason}`, 'correct the syntax'));
    return null;
  }
};

interface Cursor {
  readonly text: string;
  readonly events: readonly Event[];
  readonly positionAt: PositionLookup;
  readonly faults: SpecFault[];
  readonly anchors: Map<string, Node>;
  next: number;
}

const readNode = (cursor: Cursor, fallback: Position): Node => {
  const event = cursor.events[cursor.next];
  cursor.next += 1;
  if (event?.type === EVENT_ID.ALIAS) return readAlias(cursor, event);
  if (event?.type === EVENT_ID.SCALAR) return storeAnchor(cursor, event, readScalar(cursor, event, fallback));
  if (event?.type === EVENT_ID.SEQUENCE) return storeAnchor(cursor, event, readList(cursor, event.start));
  if (event?.type === EVENT_ID.MAPPING) return storeAnchor(cursor, event, readMap(cursor, event));
  return { kind: 'scalar', position: fallback, value: null };
};

interface Anchored {
  readonly anchorStart: number;
  readonly anchorEnd: number;
}

const storeAnchor = (cursor: Cursor, event: Anchored, node: Node): Node => {
  if (event.anchorStart >= 0) cursor.anchors.set(anchorOf(cursor, event), node);
  return node;
};

const anchorOf = ({ text }: Cursor, { anchorStart, anchorEnd }: Anchored): string =>
  text.slice(anchorStart, anchorEnd);

const readAlias = (cursor: Cursor, event: Anchored): Node => {
  const anchor = anchorOf(cursor, event);
  const node = cursor.anchors.get(anchor);
  if (node !== undefined) return node;
  const position = cursor.positionAt(event.anchorStart - 1);
  const message = `"*${anchor}" refers to nothing above it`;
  cursor.faults.push(faultAt(position, message, `mark a value above with "&${anchor}"`));
  return { kind: 'scalar', position, value: null };
};

const readScalar = (cursor: Cursor, event: ScalarEvent, fallback: Position): ScalarNode => {
  const position = positionOfScalar(cursor, event, fallback);
  return { kind: 'scalar', position, value: resolveScalar(cursor, event, position) };
};

/** Returns the position of a scalar: its quote where it has one. */
const positionOfScalar = (
  { positionAt }: Cursor,
  { valueStart, style }: ScalarEvent,
  fallback: Position,
): Position => {
  const quoted = style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED;
  return valueStart < 0 ? fallback : positionAt(quoted ? valueStart - 1 : valueStart);
};

/** Resolves the value of a scalar with js-yaml, as a document of its own; most are texts, and need none. */
const resolveScalar = (cursor: Cursor, event: ScalarEvent, position: Position): ScalarNode['value'] => {
  const text = getScalarValue(cursor.text, event);
  if (isText(event, text)) return text;
  const document: Event = {
    type: EVENT_ID.DOCUMENT,
    explicitStart: false,
    explicitEnd: false,
    directives: [],
  };
  const events: Event[] = [document, event, { type: EVENT_ID.POP }];
  try {
    const [value] = constructFromEvents(events, { source: cursor.text });
    return value as ScalarNode['value'];
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const remedy = 'write a text, a number, true, false or null';
    cursor.faults.push(faultAt(position, `not a valid value: ${error.reason}`, remedy));
    return null;
  }
};

/** Returns whether a scalar is a text: one without a tag that is quoted, or that is no null or truth value and begins as no number does. */
const isText = ({ tagStart, style }: ScalarEvent, text: string): boolean =>
  tagStart < 0 && (style !== SCALAR_STYLE.PLAIN || !/^($|[-+.\d~]|(null|true|false)$)/i.test(text));

const readList = (cursor: Cursor, start: number): ListNode => {
  const position = cursor.positionAt(start);
  const items: Node[] = [];
  while (!atEnd(cursor)) items.push(readNode(cursor, position));
  cursor.next += 1;
  return { kind: 'list', position, items };
};

const readMap = (cursor: Cursor, event: { start: number }): MapNode => {
  const entries = new Map<string, MapEntry>();
  while (!atEnd(cursor)) {
    const { key, position } = readKey(cursor, cursor.positionAt(event.start));
    const value = readNode(cursor, position);
    if (key === null) continue;
    const first = entries.get(key);
    if (first === undefined) entries.set(key, { position, value });
    else cursor.faults.push(duplicateKey(key, position, first.position));
  }
  cursor.next += 1;
  return { kind: 'map', position: cursor.positionAt(event.start), entries };
};

const duplicateKey = (key: string, position: Position, first: Position): SpecFault =>
  faultAt(position, `"${key}" stands twice in one mapping`, `it is at line ${first.line} already; keep one`);

const readKey = (cursor: Cursor, fallback: Position): { key: string | null; position: Position } => {
  const event = cursor.events[cursor.next];
  if (event?.type === EVENT_ID.SCALAR) {
    cursor.next += 1;
    const position = positionOfScalar(cursor, event, fallback);
    return { key: event.valueStart < 0 ? '' : getScalarValue(cursor.text, event), position };
  }
  const { position } = readNode(cursor, fallback);
  cursor.faults.push(faultAt(position, 'a key must be a text', 'write it in quotes'));
  return { key: null, position };
};

const atEnd = ({ events, next }: Cursor): boolean => {
  const event = events[next];
  return event === undefined || event.type === EVENT_ID.POP;
};

type PositionLookup = (offset: number) => Position;

/** Returns a function from offsets to lines and columns, both starting at 1. */
const createPositionLookup = (text: string, file: string): PositionLookup => {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\r|\n/g)) starts.push(match.index + match[0].length);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { file, line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
};

/**
 * Returns the position of a key or list entry below `node`, or `undefined` where there is none.
 * @param path keys, and indexes of lists; an empty path is the node itself
 */
export const positionIn = (node: Node, path: readonly string[]): Position | undefined => {
  const [key, ...rest] = path;
  if (key === undefined) return node.position;
  const entry = entryOf(node, key);
  return entry === undefined || rest.length === 0 ? entry?.position : positionIn(entry.value, rest);
};

const entryOf = (node: Node, key: string): MapEntry | undefined => {
  if (node.kind === 'map') return node.entries.get(key);
  const item = node.kind === 'list' ? node.items[Number(key)] : undefined;
  return item && { position: item.position, value: item };
};

/** Converts a node to plain data; `__proto__` becomes a key like any other. */
export const nodeToData = (node: Node): unknown => {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(nodeToData);
  return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, nodeToData(value)]));
};
