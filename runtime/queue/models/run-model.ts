/** Runs a model once: checks what goes in and what comes out, and sees to it that it ends in time. */
import type { LogLevel, QueueModelDeclaration, RunFiles } from '../../../contract/queue-model.js';
import { checkInput, isOutput } from './input.js';
import { platformOutcome, type Outcome } from '../requests/outcome.js';
import { runFunction, type LoadFunction } from './function-runner.js';
import { runHttp } from './http-runner.js';

export interface Run {
  readonly requestId: string;
  readonly input: unknown;
  /** What the last `progress` of an earlier attempt said. */
  readonly resumed: unknown;
  log(message: string, level?: LogLevel): void;
  progress(state: unknown): void;
  readonly files: RunFiles;
  /** Aborted when the run is to end early. */
  readonly signal: AbortSignal;
  /** Told of what a function threw: for the operator, never for the caller. */
  readonly onFailure: (error: unknown) => void;
}

/** Outcome of one attempt; `retry`: the platform broke it, another one may succeed. */
export interface Attempted {
  readonly outcome: Outcome;
  readonly retry: boolean;
}

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

export const final = (outcome: Outcome): Attempted => ({ outcome, retry: false });

const perform = (model: QueueModelDeclaration, run: Run, load: LoadFunction): Promise<Attempted> =>
  model.runner.kind === 'function' ? runFunction(model, run, load) : runHttp(model.runner, run);
