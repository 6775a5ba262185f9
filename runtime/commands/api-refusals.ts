/** Errors of the API as refusals of a command. */
import { ApiError, ApiErrors } from '../../contract/errors.js';
import { Refusal } from '../config/refusal.js';

/** Runs `body`, and turns what the API refuses into a refusal of the command. */
export const refusing = async <Result>(body: () => Promise<Result>): Promise<Result> => {
  try {
    return await body();
  } catch (error) {
    if (error instanceof ApiErrors)
      throw new Refusal(error.problems.map(({ message }) => message).join('\n'));
    throw error instanceof ApiError ? new Refusal(error.message) : error;
  }
};
