/** Collects the problems of a plan while the rest of it is planned. */
import { ApiError, ApiErrors } from '../../contract/errors.js';
import type { Refusal } from './write-plan.js';

/** Plans with a problem list of its own; returns a refusal where there are problems. */
export const planOrRefuse = <Plan extends object>(run: (problems: ApiError[]) => Plan): Plan | Refusal => {
  const problems: ApiError[] = [];
  const plan = collectProblems(problems, () => run(problems));
  return plan === null || problems.length > 0 ? { problems } : plan;
};

/** Returns whether a plan was refused. */
export const isRefusal = (plan: object): plan is Refusal => 'problems' in plan;

/** Where a payload is in the body of its request. */
export interface PayloadLocation {
  /** Index among the items of the body; `null` where it is a single one. */
  readonly index: number | null;
  /** Names and indexes that lead from the item of the body to the payload. */
  readonly path: readonly (string | number)[];
}

/** Collects problems like `collectProblems`, and adds their location to those that do not have one. */
export const collectLocated = <Result>(
  { problems, index, path }: PayloadLocation & { readonly problems: ApiError[] },
  run: () => Result,
): Result | null => {
  const start = problems.length;
  const result = collectProblems(problems, run);
  if (index === null && path.length === 0) return result;
  for (let at = start; at < problems.length; at += 1) {
    const { code, details, explanation } = problems[at] as ApiError;
    if (details.path !== undefined || details.index !== undefined) continue;
    const location = { ...(path.length > 0 && { path }), ...(index !== null && { index }) };
    problems[at] = new ApiError(code, { ...details, ...location }, explanation);
  }
  return result;
};

/** Adds the API errors that `run` throws to `problems`, and returns null in that case. */
export const collectProblems = <Result>(problems: ApiError[], run: () => Result): Result | null => {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiErrors) problems.push(...error.problems);
    else if (error instanceof ApiError) problems.push(error);
    else throw error;
    return null;
  }
};
