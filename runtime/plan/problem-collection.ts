/** Collects the problems of a plan while the rest of it is planned. */
import { printPointer } from '../../contract/json-pointer.js';
import { ApiError, collectProblems } from '../../contract/errors.js';
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
  /** The names of the relations that lead from the item to the payload. */
  readonly path: readonly string[];
  /** All names and indexes that lead from the body to the payload. */
  readonly pointer: readonly (string | number)[];
}

/** Returns the details of an error that locate a payload, or a field in it; none for the body itself. */
export const locationDetails = ({ index, pointer }: PayloadLocation, field?: string) => {
  const tokens = field === undefined ? pointer : [...pointer, field];
  return tokens.length === 0 ? {} : { ...(index !== null && { index }), pointer: printPointer(tokens) };
};

/** Returns a problem with its location. */
export const locate = ({ code, details, explanation }: ApiError, location: PayloadLocation): ApiError => {
  const path = location.path.length > 0 && { path: location.path };
  return new ApiError(code, { ...details, ...path, ...locationDetails(location) }, explanation);
};

/** Collects problems like `collectProblems`, and adds their location to those that do not have one. */
export const collectLocated = <Result>(
  level: PayloadLocation & { readonly problems: ApiError[] },
  run: () => Result,
): Result | null => {
  const { problems, pointer } = level;
  const start = problems.length;
  const result = collectProblems(problems, run);
  if (pointer.length === 0) return result;
  for (let at = start; at < problems.length; at += 1) {
    const problem = problems[at] as ApiError;
    if (problem.details.pointer === undefined) problems[at] = locate(problem, level);
  }
  return result;
};
