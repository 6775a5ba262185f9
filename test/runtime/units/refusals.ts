/** Returns the error with which a function rejects its input. */
import { ApiError, ApiErrors } from '../../../contract/errors.js';

/** Code of the API error, or of all API errors, that are thrown; `null`: none is. Anything else that is thrown is thrown on. */
export const codeOf = (run: () => unknown): string | null => {
  try {
    run();
    return null;
  } catch (error) {
    const problems = error instanceof ApiErrors ? error.problems : [error];
    const codes = new Set(problems.map((problem) => (problem instanceof ApiError ? problem.code : null)));
    const [code = null] = codes;
    if (code === null || codes.size > 1) throw error;
    return code;
  }
};

/** Code and reason of the API error that is thrown; `null`: none is. */
export const reasonOf = (run: () => unknown): string | null => {
  try {
    run();
    return null;
  } catch (error) {
    if (error instanceof ApiError) return `${error.code}: ${String(error.details.reason)}`;
    throw error;
  }
};

/** Every problem that something is refused with, as `CODE: reason`. */
export const refusalsOf = async (run: () => Promise<unknown>): Promise<readonly string[]> => {
  try {
    await run();
    return [];
  } catch (error) {
    const problems = error instanceof ApiErrors ? error.problems : [error];
    return problems.map((problem) => {
      if (problem instanceof ApiError) return `${problem.code}: ${String(problem.details.reason)}`;
      throw problem;
    });
  }
};
