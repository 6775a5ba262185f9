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
export const createReadBudget = (maxRows: number | null, bytes: ByteBudget): ReadBudget =>
  new RequestBudget(maxRows ?? Number.POSITIVE_INFINITY, bytes);

/** A class, since every request creates one. */
class RequestBudget implements ReadBudget {
  readonly bytes: ByteBudget;
  readonly #maximum: number;
  #read = 0;
  #answered = 0;
  #running = 0;
  #waiting: (() => void)[] | null = null;

  constructor(maximum: number, bytes: ByteBudget) {
    this.bytes = bytes;
    this.#maximum = maximum;
  }

  get rowsLeft(): number {
    return this.#maximum - this.#read;
  }

  takeRows(count: number): void {
    this.#read += count;
    this.checkRows(this.#read);
  }

  checkRows(count: number): void {
    if (count > this.#maximum) throw tooManyRows(this.#maximum);
  }

  answerRows(count: number): void {
    this.#answered += count;
    this.checkRows(this.#answered);
  }

  async run<Result>(statement: () => Promise<Result>): Promise<Result> {
    if (this.#running >= maxStatements) {
      const waiting = (this.#waiting ??= []);
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else this.#running += 1;
    try {
      return await statement();
    } finally {
      const next = this.#waiting?.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

const tooManyRows = (maximum: number): Error =>
  apiError('QUERY_TOO_COMPLEX', {
    reason: `its nested lists have more than ${maximum} items; ask for fewer of them, with "limit" or a filter, and with "deep" for each list`,
  });

/** Creates the budget of a read that is not part of an answer. */
export const unlimitedReads = (): ReadBudget => createReadBudget(null, unlimitedBytes);
