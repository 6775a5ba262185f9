/** Faults of the spec: reported together, each with its position and a remedy. */
import type { Position, SpecFault } from './types.js';

/** All faults of the spec files; the message has one line per fault. */
export class SpecError extends Error {
  readonly faults: readonly SpecFault[];

  constructor(faults: readonly SpecFault[]) {
    const sorted = [...faults].sort(byPosition);
    super(sorted.map(faultToText).join('\n'));
    this.name = 'SpecError';
    this.faults = sorted;
  }
}

/** Creates a fault; copies only the position of `position`, which may be a node or a fault. */
export const faultAt = ({ file, line, column }: Position, message: string, remedy: string): SpecFault => ({
  file,
  line,
  column,
  message,
  remedy,
});

/** Formats a fault: `spec/api.yaml:3:5: unknown key "titel"; did you mean "title"?` */
const faultToText = ({ message, remedy, ...position }: SpecFault): string =>
  `${positionToText(position)}: ${message}; ${remedy}`;

/** Formats a position: `spec/api.yaml:3:5`. */
export const positionToText = ({ file, line, column }: Position): string => `${file}:${line}:${column}`;

const byPosition = (a: SpecFault, b: SpecFault): number => {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
};

/** Returns `did you mean "title"?` if a known word is similar, otherwise `otherwise`. */
export const suggest = (word: string, known: Iterable<string>, otherwise: string): string => {
  const similar = nearest(word, known);
  return similar === null ? otherwise : `did you mean "${similar}"?`;
};

/** Returns the known word with the fewest edits, at most a third of its length, ignoring case. */
export const nearest = (word: string, known: Iterable<string>): string | null => {
  let best: string | null = null;
  let fewest = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    if (candidate === word || Math.abs(candidate.length - word.length) >= fewest) continue;
    const edits = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best;
};

/** Counts insertions, deletions, replacements and transpositions (optimal string alignment). */
const editDistance = (a: string, b: string): number => {
  let previousRow: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(previousRow, j - 2) + 1 : Infinity;
      next.push(Math.min(at(row, j) + 1, at(next, j - 1) + 1, replaced, swapped));
    }
    previousRow = row;
    row = next;
  }
  return at(row, b.length);
};

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity;

/** Joins words: `a`, `a or b`, `a, b or c`. */
export const listWords = (words: readonly string[], last = 'or'): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
