/** From the first signal to the end of the process. */
import type { Observe } from '../observe.js';

export interface Stoppable {
  /** Finishes what was begun. */
  stop(): Promise<void>;
  /** Ends what is left, at once. */
  kill(): void;
}

/**
 * Resolves after SIGINT or SIGTERM, once everything has stopped. A second signal waits for nothing.
 */
export const untilStopped = ({ stop, kill }: Stoppable, observe: Observe): Promise<void> =>
  new Promise((resolve, reject) => {
    let stopping = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (stopping) {
        kill();
        process.exit(1);
      }
      stopping = true;
      observe({ kind: 'stopping', reason: signal });
      stop().then(() => {
        observe({ kind: 'stopped' });
        resolve();
      }, reject);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
