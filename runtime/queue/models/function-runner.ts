/** Runs models that are TypeScript functions. */
import type { ModelError, QueueModelDeclaration, RunModel } from '../../../contract/queue-model.js';
import { final, type RunResult, type RunContext } from './attempt.js';

/** Loads the module of a model on first use. */
export type LoadFunction = (model: string) => Promise<{ readonly run: RunModel<unknown, unknown> }>;

/** Runs a function; one that ignores its abort signal continues in the background, and its result is discarded. */
export const runFunction = async (
  { id }: QueueModelDeclaration,
  { input, signal, resumed, log, progress, files }: RunContext,
  load: LoadFunction,
): Promise<RunResult> => {
  const { run } = await load(id);
  const running = async () => run(input, { log, progress, resumed, signal, files });
  try {
    return toResult(200, await Promise.race([running(), untilAborted(signal)]));
  } catch (error) {
    if (isModelError(error)) return toResult(error.status, error.body);
    throw error;
  }
};

/** Converts the body to JSON before it is validated, because JSON is what is stored. */
const toResult = (status: number, body: unknown): RunResult =>
  final({ status, body: JSON.parse(JSON.stringify(body ?? null)), errorType: null });

/** Checks the name instead of the class, which may come from another copy of the package. */
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
