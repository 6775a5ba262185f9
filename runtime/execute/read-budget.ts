/** Limits what the answer of one request may cost: the rows of its nested lists, and its bytes. */
import { apiError } from '../../contract/errors.js';
import { unlimitedBytes, type ByteBudget } from './bytes.js';

export interface ReadBudget {
  readonly bytes: ByteBudget;
  /** Number of rows of nested lists that may still be read. */
  readonly rowsLeft: number;
  /** Counts rows that were read. @throws QUERY_TOO_COMPLEX */
  takeRows(count: number): void;
  /**
   * Checks the rows that a level of the answer has below it; a row that was read once may occur often.
   * @throws QUERY_TOO_COMPLEX
   */
  checkRows(count: number): void;
  /** Counts the rows of a complete list; one request may read several. @throws QUERY_TOO_COMPLEX */
  answerRows(count: number): void;
  /** Runs a statement of a nested list, when fewer than a maximum of them run. */
  run<Result>(statement: () => Promise<Result>): Promise<Result>;
}

/** Statements of nested lists that one request runs at a time, so that it leaves connections to others. */
const maxStatements = 4;

/** Creates the budget of a request. `maxRows` is `null` without a maximum. */
export const createReadBudget = (maxRows: number | null, bytes: ByteBudget): ReadBudget => {
  const maximum = maxRows ?? Number.POSITIVE_INFINITY;
  let read = 0;
  let answered = 0;
  let running = 0;
  const waiting: (() => void)[] = [];
  const checkRows = (count: number): void => {
    if (count > maximum) throw tooManyRows(maximum);
  };
  return {
    bytes,
    get rowsLeft() {
      return maximum - read;
    },
    takeRows(count) {
      read += count;
      checkRows(read);
    },
    checkRows,
    answerRows(count) {
      answered += count;
      checkRows(answered);
    },
    async run(statement) {
      if (running >= maxStatements) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      try {
        return await statement();
      } finally {
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
};

const tooManyRows = (maximum: number): Error =>
  apiError('QUERY_TOO_COMPLEX', {
    reason: `its nested lists have more than ${maximum} items; ask for fewer of them, with "limit" or a filter, and with "deep" for each list`,
  });

/** Creates the budget of a read that is not part of an answer. */
export const unlimitedReads = (): ReadBudget => createReadBudget(null, unlimitedBytes);
