/** Problems of a plan, gathered while the rest of it is planned. */
import { ApiError, ApiErrors } from '../../contract/errors.js';
import type { Refusal } from './write-plan.js';

/** Runs with problems of its own; what cannot be planned becomes a refusal. */
export const attempt = <Plan extends object>(run: (problems: ApiError[]) => Plan): Plan | Refusal => {
  const problems: ApiError[] = [];
  const plan = gather(problems, () => run(problems));
  return plan === null || problems.length > 0 ? { problems } : plan;
};

/** Adds what `run` throws to the problems; then there is no result. */
export const gather = <Result>(problems: ApiError[], run: () => Result): Result | null => {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiErrors) problems.push(...error.problems);
    else if (error instanceof ApiError) problems.push(error);
    else throw error;
    return null;
  }
};
