/** What the readers of driver errors share. */
import type { Violation } from './contract.js';

export const violation = (
  kind: Violation['kind'],
  columns: readonly string[] = [],
  constraint: string | null = null,
): Violation => ({ kind, columns, constraint });

/** Returns the first group of the pattern, or null where the text does not match. */
export const found = (pattern: RegExp, text: string): string | null => pattern.exec(text)?.[1] ?? null;
