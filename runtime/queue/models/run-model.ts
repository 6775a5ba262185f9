/** Runs a model once: checks what goes in and what comes out, and sees to it that it ends in time. */
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import { checkInput, isOutput } from './input.js';
import { platformOutcome, type Outcome } from '../requests/outcome.js';
import { final, type Attempted, type Run } from './attempt.js';
import { runFunction, type LoadFunction } from './function-runner.js';
import { runHttp } from './http-runner.js';

export type RunModelOnce = (model: QueueModelDeclaration, run: Run) => Promise<Attempted>;

export const createRunner =
  (loadFunction: LoadFunction): RunModelOnce =>
  async (model, run) => {
    const details = checkInput(model, run.input);
    if (details.length > 0) return final({ status: 422, body: { detail: details }, errorType: null });
    const deadline = AbortSignal.timeout(model.timeout);
    const limited = { ...run, signal: AbortSignal.any([run.signal, deadline]) };
    try {
      const attempted = await perform(model, limited, loadFunction);
      const fault = faultOf(attempted.outcome, model);
      if (fault === null) return attempted;
      run.log(fault, 'ERROR');
      return final(platformOutcome('runner_incomplete_response'));
    } catch (error) {
      run.signal.throwIfAborted();
      if (deadline.aborted) return final(platformOutcome('request_timeout'));
      run.onFailure(error);
      return final(platformOutcome('runner_server_error'));
    }
  };

/** Bytes: what every database takes in one statement. Larger results belong into files. */
const mostOutput = 8_000_000;

const faultOf = ({ status, body }: Outcome, model: QueueModelDeclaration): string | null => {
  const size = Buffer.byteLength(JSON.stringify(body));
  if (size > mostOutput) return `the result has ${size} bytes, ${mostOutput} are kept; files hold more`;
  if (status !== 200 || isOutput(model, body)) return null;
  return 'the result is not of the form that the model promises';
};

const perform = (model: QueueModelDeclaration, run: Run, load: LoadFunction): Promise<Attempted> =>
  model.runner.kind === 'function' ? runFunction(model, run, load) : runHttp(model.runner, run);
