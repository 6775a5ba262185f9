/** What a function refuses its input with. */
import { ApiError } from '../../../runtime/errors.js';

/** Code of the API error that is thrown; `null`: none is. Anything else that is thrown is thrown on. */
export const codeOf = (run: () => unknown): string | null => {
  try {
    run();
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
};
