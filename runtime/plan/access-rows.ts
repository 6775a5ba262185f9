/**
 * Validates rows of users, policies and permissions on write: a rule that can never be evaluated would permit
 * nothing, and is rejected.
 */
import { parseNetwork } from '../network/ip.js';
import { isUnresolvable, variableNames } from '../access/variables.js';
import type { Collection } from '../../contract/collection.js';
import { findUnsupportedIn } from '../../contract/expressions.js';
import { collectProblems, type ApiError } from '../../contract/errors.js';
import { isObject } from '../../contract/objects.js';
import { parseFilter } from '../request/filter.js';
import type { ListRow } from './write-plan.js';

/** A field of a row whose rule cannot be evaluated. */
export interface RuleProblem {
  readonly field: string;
  /** The expected form. */
  readonly expected: string;
}

/** Returns the problems of a row; none for collections other than users, policies and permissions. */
export const findRuleProblems = ({ name }: Collection, row: ListRow): readonly RuleProblem[] =>
  Object.entries(checks[name] ?? {}).flatMap(([field, expectedOf]) => {
    const text = row.get(field) ?? null;
    const expected = text === null ? null : expectedOf(String(text));
    return expected === null ? [] : [{ field, expected }];
  });

/** Returns the expected form, or null where the text is valid. */
type Check = (text: string) => string | null;

const networks: Check = (text) =>
  text === '' || text.split(',').every((entry) => parseNetwork(entry) !== null)
    ? null
    : 'addresses and networks, as in 10.0.0.0/8 or ::1';

/** Returns what the first variable that cannot be resolved should be, or null where all can. */
const expectedOfVariables = (values: readonly unknown[]): string | null => {
  const found = values.find(isUnresolvable);
  if (found === undefined) return null;
  return String(found).startsWith('$NOW')
    ? 'moments as in $NOW(-1 day)'
    : `the variables $NOW, ${variableNames.join(', ')}`;
};

const rule: Check = (text) => expectedOfRule(JSON.parse(text));

/** Returns what a rule should be, with everything that is wrong with it, or null where it is a filter or null. */
export const expectedOfRule = (filter: unknown): string | null => {
  if (filter === null) return null;
  if (!isObject(filter)) return 'an object';
  const values: unknown[] = [];
  const faults: ApiError[] = [];
  collectProblems(faults, () => parseFilter(filter, values));
  const problems = [...faults.map(({ details }) => String(details.reason)), ...findUnsupportedIn(filter)];
  if (problems.length > 0) return `a filter (${problems.join('; ')})`;
  return expectedOfVariables(values.flat());
};

const presets: Check = (text) => expectedOfPresets(JSON.parse(text));

/** Returns what presets should be, or null where they are that or null. */
export const expectedOfPresets = (values: unknown): string | null => {
  if (values === null) return null;
  if (typeof values !== 'object' || Array.isArray(values)) return 'an object';
  return expectedOfVariables(Object.values(values));
};

const checks: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  svc_permissions: { permissions: rule, validation: rule, presets },
  svc_policies: { ip_access: networks },
  svc_users: { ip_access: networks },
};
