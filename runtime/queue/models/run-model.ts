/** Runs a model once: validates its input and output and enforces its timeout. */
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import { checkInput, checkOutput } from './input.js';
import { platformOutcome, type Detail, type Outcome } from '../requests/outcome.js';
import { final, type RunResult, type RunContext } from './attempt.js';
import { formatSeconds } from './children/exit.js';
import type { BuiltInModelId, RunBuiltIn } from './built-in.js';
import type { RunFunction } from './function-runner.js';
import { runHttp } from './http-runner.js';
import { maxOutputBytes, oversizedText } from './output.js';

export type RunModelOnce = (model: QueueModelDeclaration, run: RunContext) => Promise<RunResult>;

interface Runners {
  readonly runFunction: RunFunction;
  /** Absent in processes that run no built-in models. */
  readonly runBuiltIn?: RunBuiltIn | undefined;
}

/**
 * Creates the function that runs models. Whatever a model does is a result.
 * @throws the reason of `run.signal` where that is aborted
 */
export const createRunner =
  (runners: Runners): RunModelOnce =>
  async (model, run) => {
    const details = checkInput(model, run.input);
    if (details.length > 0) return final({ status: 422, body: { detail: details }, errorType: null });
    const deadline = AbortSignal.timeout(model.timeout);
    const limited = { ...run, signal: AbortSignal.any([run.signal, deadline]) };
    try {
      const result = await runAttempt(model, limited, runners);
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
  const details = status === 200 ? checkOutput(model, body) : [];
  if (details.length === 0) return null;
  return `the result is not of the form that the model promises: ${details.map(detailToText).join('; ')}`;
};

/** Formats a problem of a result: `images.0.url: field required`. */
const detailToText = ({ loc, msg }: Detail): string =>
  [...(loc.length > 1 ? [loc.slice(1).join('.')] : []), msg].join(': ');

const runAttempt = (
  model: QueueModelDeclaration,
  run: RunContext,
  { runFunction, runBuiltIn }: Runners,
): Promise<RunResult> => {
  const { runner } = model;
  switch (runner.kind) {
    case 'function':
      return runFunction({ ...model, runner }, run);
    case 'http':
      return runHttp(runner, run);
    case 'builtIn':
      if (runBuiltIn === undefined) throw new Error(`this process does not run ${model.id}`);
      return runBuiltIn(model.id as BuiltInModelId, run);
  }
};
