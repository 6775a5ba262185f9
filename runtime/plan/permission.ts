/** Rules of permissions as they are written: what could never be evaluated is refused, else it would permit nothing. */
import { ApiError } from '../errors.js';
import { parseFilter } from '../request/filter.js';
import type { WriteRow } from './write.js';

export interface RuleProblem {
  readonly field: string;
  /** What would be right. */
  readonly expected: string;
}

export const findRuleProblems = (row: WriteRow): readonly RuleProblem[] =>
  ['permissions', 'validation', 'presets'].flatMap((field) => {
    const text = row.get(field) ?? null;
    if (text === null) return [];
    const expected = expectedOf(field, JSON.parse(String(text)));
    return expected === null ? [] : [{ field, expected }];
  });

/** `null`: nothing else than what is there. */
const expectedOf = (field: string, rule: unknown): string | null => {
  if (rule === null) return null;
  if (typeof rule !== 'object' || Array.isArray(rule)) return 'an object';
  if (field === 'presets') return null;
  try {
    parseFilter(rule as Record<string, unknown>, []);
    return null;
  } catch (error) {
    return error instanceof ApiError ? `a filter (${String(error.details.reason)})` : 'a filter';
  }
};
