/** Models that are TypeScript functions. */
import type { QueueModelDeclaration, RunModel } from '../../queue-model.js';
import { final, type Attempted, type Run } from './index.js';

/** The module of a model, loaded on first use. */
export type LoadFunction = (model: string) => Promise<{ readonly run: RunModel<unknown, unknown> }>;

/** A function that does not mind its signal is left behind when it is aborted. */
export const runFunction = async (
  { id }: QueueModelDeclaration,
  { input, signal, resumed, log, progress, files }: Run,
  load: LoadFunction,
): Promise<Attempted> => {
  const { run } = await load(id);
  const body = await Promise.race([
    run(input, { log, progress, resumed, signal, files }),
    untilAborted(signal),
  ]);
  // what is stored is JSON: so is what is checked
  return final({ status: 200, body: JSON.parse(JSON.stringify(body ?? null)), errorType: null });
};

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
