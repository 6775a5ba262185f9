/** Graceful shutdown on signals. */
import type { Observe } from '../observe.js';

export interface Stoppable {
  /** Stops after finishing work in progress. */
  stop(): Promise<void>;
  /** Stops immediately. */
  kill(): void;
}

/** Resolves after SIGINT or SIGTERM, once everything has stopped. A second signal kills immediately. */
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
