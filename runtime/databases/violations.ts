/** Functions shared by the modules that read constraint violations from driver errors. */
import type { Violation } from './contract.js';

/** Creates a violation. Columns are those that the driver's error names; none where it names no column. */
export const violation = (
  kind: Violation['kind'],
  columns: readonly string[] = [],
  constraint: string | null = null,
): Violation => ({ kind, columns, constraint });

/** Returns the first group of a pattern, or null if the text does not match. */
export const firstGroup = (pattern: RegExp, text: string): string | null => pattern.exec(text)?.[1] ?? null;
