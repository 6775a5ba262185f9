/** An apply that goes on after its request has been answered. */
import type { Background } from '../concurrency/background.js';
import { apiError } from '../../contract/errors.js';
import type { KeepBuild } from './services.js';

export interface QueuedApplyOptions {
  readonly background: Background;
  readonly keepBuild?: KeepBuild | undefined;
  /** Applies a difference. @param onQueued called with the id of the apply once it has been checked and recorded */
  apply(onQueued: (id: string) => void): Promise<void>;
}

/**
 * Starts an apply. Returns its id; null where there was nothing to apply. What fails later is in the journal.
 * @throws what `apply` throws before it calls `onQueued`; SERVICE_UNAVAILABLE where too much runs already
 */
export const startApply = ({ background, keepBuild, apply }: QueuedApplyOptions): Promise<string | null> =>
  new Promise((resolve, reject) => {
    let id: string | null = null;
    const work = async (): Promise<void> => {
      try {
        await apply((queued) => {
          id = queued;
          resolve(queued);
        });
        resolve(null);
      } catch (error) {
        if (id !== null) throw error;
        reject(error as Error);
      }
    };
    const isStarted = background.run('schema apply', () => keepBuild?.(work) ?? work());
    if (!isStarted)
      reject(apiError('SERVICE_UNAVAILABLE', { service: 'schema' }, 'too much runs already; try again'));
  });
