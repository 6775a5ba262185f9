/** Limits the memory of the answers that a process prepares and sends. */
import { apiError } from '../../contract/errors.js';
import type { ByteBudget } from './bytes.js';

/** The memory that all answers of a process share. */
export interface AnswerBudget {
  /**
   * Returns the budget of one answer, which is taken from that of its caller and of the process.
   * @param caller called at the first bytes
   * @param onClose calls back when the answer has been sent or given up
   */
  open(caller: () => string, onClose: (release: () => void) => void): ByteBudget;
}

/** The share of the maximum that the answers of one caller may take. */
const callerShare = 4;

/**
 * Creates the budget of a process; one caller may take a quarter of it.
 * @param maximum in bytes
 */
export const createAnswerBudget = (maximum: number): AnswerBudget => {
  const callerMaximum = Math.floor(maximum / callerShare);
  const byCaller = new Map<string, number>();
  let total = 0;

  const add = (caller: string, count: number): void => {
    const left = (byCaller.get(caller) ?? 0) + count;
    total += count;
    if (left === 0) byCaller.delete(caller);
    else byCaller.set(caller, left);
  };

  return {
    open(callerOf, onClose) {
      let caller: string | null = null;
      let own = 0;
      let isClosed = false;
      const release = (): void => {
        if (caller !== null) add(caller, -own);
        own = 0;
        isClosed = true;
      };
      return {
        take(count) {
          // an answer that nobody waits for is discarded as soon as it is complete
          if (isClosed) return;
          if (own + count > callerMaximum) throw tooLarge(callerMaximum);
          if (caller === null) {
            caller = callerOf();
            onClose(release);
          }
          const held = byCaller.get(caller) ?? 0;
          if (total + count > maximum || held + count > callerMaximum) throw tooManyBytes();
          own += count;
          add(caller, count);
        },
        giveBack(count) {
          if (isClosed || caller === null) return;
          own -= count;
          add(caller, -count);
        },
      };
    },
  };
};

const tooLarge = (maximum: number): Error =>
  apiError('QUERY_TOO_COMPLEX', {
    reason: `its answer would take more than ${Math.floor(maximum / 1024 / 1024)} MB; ask for fewer items, or for fewer fields`,
  });

const tooManyBytes = (): Error =>
  apiError('SERVICE_UNAVAILABLE', { service: 'answers' }, 'too many large answers at once; try again');
