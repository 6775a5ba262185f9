/** Runs a model once: validates its input and output and enforces its timeout. */
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import { checkInput, isOutput } from './input.js';
import { platformOutcome, type Outcome } from '../requests/outcome.js';
import { final, type RunResult, type RunContext } from './attempt.js';
import { formatSeconds } from './children/exit.js';
import type { RunFunction } from './function-runner.js';
import { runHttp } from './http-runner.js';
import { maxOutputBytes, oversizedText } from './output.js';

export type RunModelOnce = (model: QueueModelDeclaration, run: RunContext) => Promise<RunResult>;

export const createRunner =
  (runFunction: RunFunction): RunModelOnce =>
  async (model, run) => {
    const details = checkInput(model, run.input);
    if (details.length > 0) return final({ status: 422, body: { detail: details }, errorType: null });
    const deadline = AbortSignal.timeout(model.timeout);
    const limited = { ...run, signal: AbortSignal.any([run.signal, deadline]) };
    try {
      const result = await runAttempt(model, limited, runFunction);
      const outputError = findOutputError(result.outcome, model);
      if (outputError === null) return result;
      run.log(outputError, 'ERROR');
      return final(platformOutcome('runner_incomplete_response'));
    } catch (error) {
      run.signal.throwIfAborted();
      if (deadline.aborted) return final(timedOut(model));
      run.onFailure(error);
      return final(platformOutcome('runner_server_error'));
    }
  };

const timedOut = ({ timeout }: QueueModelDeclaration): Outcome =>
  platformOutcome('request_timeout', `The model did not end within ${formatSeconds(timeout)}`);

const findOutputError = ({ status, body }: Outcome, model: QueueModelDeclaration): string | null => {
  const size = Buffer.byteLength(JSON.stringify(body));
  if (size > maxOutputBytes) return oversizedText(size);
  if (status !== 200 || isOutput(model, body)) return null;
  return 'the result is not of the form that the model promises';
};

const runAttempt = (
  model: QueueModelDeclaration,
  run: RunContext,
  runFunction: RunFunction,
): Promise<RunResult> => {
  const { runner } = model;
  return runner.kind === 'function' ? runFunction({ ...model, runner }, run) : runHttp(runner, run);
};
