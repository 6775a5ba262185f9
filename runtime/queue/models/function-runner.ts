/** Runs models that are TypeScript functions, in child processes. */
import type { FunctionRunner, QueueModelDeclaration } from '../../../contract/queue-model.js';
import { platformOutcome } from '../requests/outcome.js';
import { final, type FailedAttempt, type RunContext, type RunResult } from './attempt.js';
import type { ChildEnd } from './children/child.js';
import { exitToOutcome } from './children/exit.js';
import type { LateFailure } from './children/messages.js';
import type { Children } from './children/pool.js';
import { ModelFailure } from './model-failure.js';
import { oversizedText } from './output.js';

export type RunFunction = (model: FunctionModel, run: RunContext) => Promise<RunResult>;

export interface FunctionModel extends QueueModelDeclaration {
  readonly runner: FunctionRunner;
}

/**
 * Creates the runner of models that are functions. A run resolves with what the function returned, also where that is an error
 * of the input.
 * @throws (the runner) ModelFailure where the function or its process fails; the reason of the signal when it is aborted, after the function or its process has ended
 */
export const createFunctionRunner =
  (children: Children): RunFunction =>
  async (model, run) => {
    const { input, resumed, traceparent, signal, requestId: request, account, attempt } = run;
    const origin = { request, model: model.id, account, attempt };
    signal.throwIfAborted();
    const began = performance.now();
    const end = await children.run(
      { kind: 'run', model: model.id, input, resumed, traceparent, origin },
      { runner: model.runner, signal, observer: toObserver(run) },
    );
    signal.throwIfAborted();
    return toResult(end, { model, run, ms: performance.now() - began });
  };

const toObserver = ({ log, skip, progress, onMemory: memory, files }: RunContext) => ({
  log,
  skip,
  progress,
  memory,
  save: files.adopt,
});

/** Passes on failures of what functions have left running, as those of attempts are. */
export const toLateFailure = ({ origin, error }: LateFailure): FailedAttempt => ({
  ...origin,
  error: new ModelFailure(error),
  late: true,
});

interface EndContext {
  readonly model: FunctionModel;
  readonly run: RunContext;
  /** Milliseconds that the run took. */
  readonly ms: number;
}

const toResult = (end: ChildEnd, { model, run, ms }: EndContext): RunResult => {
  switch (end.kind) {
    case 'result':
      return final({ status: 200, body: JSON.parse(end.body), errorType: null });
    case 'modelError':
      return final({ status: end.status, body: JSON.parse(end.body), errorType: null });
    case 'oversized':
      run.log(oversizedText(end.bytes), 'ERROR');
      return final(platformOutcome('runner_incomplete_response'));
    case 'failed':
      throw new ModelFailure(end.error);
    case 'exited': {
      const outcome = exitToOutcome(end.exit, { memory: model.runner.memory, ms });
      for (const line of end.exit.errorOutput.split('\n')) if (line.trim() !== '') run.log(line, 'STDERR');
      run.log(outcomeText(outcome.body), 'ERROR');
      run.onFailure(
        new ModelFailure({
          name: 'ProcessExit',
          message: outcomeText(outcome.body),
          stack: end.exit.errorOutput,
        }),
      );
      return final(outcome);
    }
  }
};

const outcomeText = (body: unknown): string => String((body as { readonly detail?: unknown }).detail);
