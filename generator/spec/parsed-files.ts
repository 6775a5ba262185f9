/**
 * The package's own spec files, parsed when the package is built: every command and every start reads them, and
 * parsing takes most of that time. A file is found by its text, so that a changed one is parsed as any other.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { MapEntry, Node } from './yaml.js';

/** Path of the parsed files; there are none where the package runs without being built. */
export const parsedFilesPath = fileURLToPath(new URL('./parsed-files.json', import.meta.url));

/** A node as JSON, without the name of its file: a scalar has a value, a list items, a mapping keys and their values. */
export interface PackedNode {
  /** Line and column. */
  readonly at: readonly [number, number];
  readonly value?: string | number | boolean | null;
  readonly items?: readonly PackedNode[];
  readonly keys?: readonly (readonly [line: number, column: number, key: string, value: PackedNode])[];
}

/** Parsed files by the hash of their text. */
export type ParsedFiles = Readonly<Record<string, PackedNode>>;

export const hashOfText = (text: string): string => createHash('sha256').update(text).digest('hex');

let stored: ParsedFiles | null = null;

/** Returns what a text was parsed to, or null where it has not been parsed. */
export const findParsed = (text: string, file: string): Node | null => {
  stored ??= existsSync(parsedFilesPath)
    ? (JSON.parse(readFileSync(parsedFilesPath, 'utf8')) as ParsedFiles)
    : {};
  const packed = stored[hashOfText(text)];
  return packed === undefined ? null : unpackNode(packed, file);
};

const unpackNode = ({ at: [line, column], value = null, items, keys }: PackedNode, file: string): Node => {
  const position = { file, line, column };
  if (items !== undefined) {
    return { kind: 'list', position, items: items.map((item) => unpackNode(item, file)) };
  }
  if (keys === undefined) return { kind: 'scalar', position, value };
  const entries = new Map<string, MapEntry>();
  for (const [line, column, key, value] of keys) {
    entries.set(key, { position: { file, line, column }, value: unpackNode(value, file) });
  }
  return { kind: 'map', position, entries };
};

export const packNode = (node: Node): PackedNode => {
  const at = [node.position.line, node.position.column] as const;
  if (node.kind === 'scalar') return { at, value: node.value };
  if (node.kind === 'list') return { at, items: node.items.map(packNode) };
  const keys = [...node.entries].map(
    ([key, { position, value }]) => [position.line, position.column, key, packNode(value)] as const,
  );
  return { at, keys };
};
