/** Runs a model once: validates its input and output and enforces its timeout. */
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import { checkInput, isOutput } from './input.js';
import { platformOutcome, type Outcome } from '../requests/outcome.js';
import { final, type RunResult, type RunContext } from './attempt.js';
import { runFunction, type LoadFunction } from './function-runner.js';
import { runHttp } from './http-runner.js';

export type RunModelOnce = (model: QueueModelDeclaration, run: RunContext) => Promise<RunResult>;

export const createRunner =
  (loadFunction: LoadFunction): RunModelOnce =>
  async (model, run) => {
    const details = checkInput(model, run.input);
    if (details.length > 0) return final({ status: 422, body: { detail: details }, errorType: null });
    const deadline = AbortSignal.timeout(model.timeout);
    const limited = { ...run, signal: AbortSignal.any([run.signal, deadline]) };
    try {
      const result = await runAttempt(model, limited, loadFunction);
      const outputError = findOutputError(result.outcome, model);
      if (outputError === null) return result;
      run.log(outputError, 'ERROR');
      return final(platformOutcome('runner_incomplete_response'));
    } catch (error) {
      run.signal.throwIfAborted();
      if (deadline.aborted) return final(platformOutcome('request_timeout'));
      run.onFailure(error);
      return final(platformOutcome('runner_server_error'));
    }
  };

/** Maximum bytes of a result, which every database accepts in one statement; larger results belong in files. */
const maxOutputBytes = 8_000_000;

const findOutputError = ({ status, body }: Outcome, model: QueueModelDeclaration): string | null => {
  const size = Buffer.byteLength(JSON.stringify(body));
  if (size > maxOutputBytes)
    return `the result has ${size} bytes, but the maximum is ${maxOutputBytes}; save larger output as files`;
  if (status !== 200 || isOutput(model, body)) return null;
  return 'the result is not of the form that the model promises';
};

const runAttempt = (model: QueueModelDeclaration, run: RunContext, load: LoadFunction): Promise<RunResult> =>
  model.runner.kind === 'function' ? runFunction(model, run, load) : runHttp(model.runner, run);
