/** Graceful shutdown on signals. */
import type { Observe } from '../observe.js';

export interface Stoppable {
  /** Stops after finishing work in progress. */
  stop(): Promise<void>;
  /** Stops immediately. */
  kill(): void;
}

interface LifetimeOptions {
  readonly observe: Observe;
  /** Called at the first signal. */
  readonly onStop?: () => void;
}

/** Resolves after SIGINT or SIGTERM, once everything has stopped. A second signal kills immediately. */
export const untilStopped = (
  { stop, kill }: Stoppable,
  { observe, onStop }: LifetimeOptions,
): Promise<void> =>
  new Promise((resolve, reject) => {
    let stopping = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (stopping) {
        kill();
        process.exit(1);
      }
      stopping = true;
      observe({ kind: 'stopping', reason: signal });
      onStop?.();
      stop().then(() => {
        observe({ kind: 'stopped' });
        resolve();
      }, reject);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
    // started by another process of svc, which has ended
    if (process.connected) process.once('disconnect', () => onSignal('SIGTERM'));
  });
