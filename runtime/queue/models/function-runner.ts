/** Models that are TypeScript functions. */
import type { ModelError, QueueModelDeclaration, RunModel } from '../../../contract/queue-model.js';
import { final, type Attempted, type Run } from './attempt.js';

/** The module of a model, loaded on first use. */
export type LoadFunction = (model: string) => Promise<{ readonly run: RunModel<unknown, unknown> }>;

/** A function that does not mind its signal is left behind when it is aborted. */
export const runFunction = async (
  { id }: QueueModelDeclaration,
  { input, signal, resumed, log, progress, files }: Run,
  load: LoadFunction,
): Promise<Attempted> => {
  const { run } = await load(id);
  const running = async () => run(input, { log, progress, resumed, signal, files });
  try {
    return answer(200, await Promise.race([running(), untilAborted(signal)]));
  } catch (error) {
    if (isModelError(error)) return answer(error.status, error.body);
    throw error;
  }
};

/** What is stored is JSON: so is what is checked. */
const answer = (status: number, body: unknown): Attempted =>
  final({ status, body: JSON.parse(JSON.stringify(body ?? null)), errorType: null });

/** By its name: the model may have the class from another copy of the package. */
const isModelError = (error: unknown): error is ModelError => {
  if (!(error instanceof Error) || error.name !== 'ModelError') return false;
  const { status } = error as ModelError;
  return Number.isInteger(status) && status >= 400 && status < 500;
};

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
