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
