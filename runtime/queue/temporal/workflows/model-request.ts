/** Processes a request; an error of the model is a result, an error of the platform a failure. */
import {
  ActivityFailure,
  ApplicationFailure,
  TimeoutFailure,
  defineSearchAttributeKey,
} from '@temporalio/common';
import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { createModelActivities } from '../activities/model.js';
import type { createRequestActivities } from '../activities/request.js';
import {
  admittedSignal,
  attemptDelays,
  failureTypes,
  taskQueues,
  type ModelRequestInput,
  type PlatformEnd,
  type RequestEnd,
} from '../../contract.js';
import { isErrorType } from '../../requests/outcome.js';

type ModelActivities = ReturnType<typeof createModelActivities>;

const { endRequest } = proxyActivities<ReturnType<typeof createRequestActivities>>({
  startToCloseTimeout: '30s',
  retry: { maximumInterval: '30s' },
  summary: 'store the end',
});

/**
 * Runs the attempts of a request and ends it.
 * @throws ApplicationFailure for an error of the platform, after the request has ended
 */
export async function modelRequest(input: ModelRequestInput): Promise<RequestEnd> {
  const reached = await runModel(input);
  const end = 'ending' in reached ? await nonCancellable(() => endRequest(reached.ending)) : reached;
  if (input.searchable) updateSearchAttributes(end);
  if ('ending' in reached) throwFailure(reached, end);
  return end;
}

/** A request that the platform has to end. */
interface PlatformFailure {
  readonly ending: PlatformEnd;
  readonly cause: unknown;
}

const nonCancellable = <Result>(body: () => Promise<Result>): Promise<Result> =>
  CancellationScope.nonCancellable(body);

const runModel = async (input: ModelRequestInput): Promise<RequestEnd | PlatformFailure> => {
  try {
    if (!(await waitForSlot(input))) return toPlatformFailure(input, 'startTimeout', null);
    setCurrentDetails(`runs ${summaryOf(input)}`);
    return await activitiesOf(input).runModel(input);
  } catch (error) {
    const end = storedEnd(error);
    if (end !== null) return end;
    if (isCancellation(error)) return toPlatformFailure(input, 'cancelled', error);
    return toPlatformFailure(input, isStartTimeout(error) ? 'startTimeout' : 'failed', error);
  }
};

/** Returns how a request ended whose model failed, which the failure of the activity carries; otherwise null. */
const storedEnd = (error: unknown): RequestEnd | null => {
  const failure = error instanceof ActivityFailure ? error.cause : undefined;
  const [end] = failure instanceof ApplicationFailure ? (failure.details ?? []) : [];
  return (end as RequestEnd | undefined) ?? null;
};

const toPlatformFailure = (
  { requestId }: ModelRequestInput,
  kind: PlatformEnd['kind'],
  cause: unknown,
): PlatformFailure => {
  const failure = cause instanceof ActivityFailure ? cause.cause : undefined;
  if (!(failure instanceof ApplicationFailure) || !isErrorType(failure.type))
    return { ending: { requestId, kind }, cause };
  // the message of such a failure is a text for callers
  const { type: errorType, message: detail } = failure;
  return { ending: { requestId, kind, errorType, detail }, cause };
};

/** Throws the error with which Temporal records a cancelled or failed workflow; start timeouts count as completed. */
const throwFailure = ({ ending, cause }: PlatformFailure, { errorType }: RequestEnd): void => {
  if (ending.kind === 'cancelled') throw cause;
  if (ending.kind === 'startTimeout') return;
  throw ApplicationFailure.nonRetryable(`the platform failed: ${errorType}`, failureTypes.platform);
};

/** Waits for a slot. @returns false if the start timeout elapses first */
const waitForSlot = async ({ admitted, startBefore }: ModelRequestInput): Promise<boolean> => {
  let isAdmitted = admitted;
  setHandler(defineSignal(admittedSignal), () => {
    isAdmitted = true;
  });
  if (isAdmitted) return true;
  setCurrentDetails('waits for a slot');
  if (startBefore !== null) return condition(() => isAdmitted, Math.max(1, startBefore - Date.now()));
  await condition(() => isAdmitted);
  return true;
};

const activitiesOf = (input: ModelRequestInput): ModelActivities =>
  proxyActivities<ModelActivities>({
    taskQueue: taskQueues.models(input.class),
    // longer than the timeout that the activity itself enforces
    startToCloseTimeout: input.timeout + 30_000,
    heartbeatTimeout: '10s',
    ...(input.startBefore !== null && {
      scheduleToStartTimeout: Math.max(1, input.startBefore - Date.now()),
    }),
    // the activity limits the attempts, because one that did not reach the model does not count
    retry: { initialInterval: attemptDelays.first, maximumInterval: attemptDelays.most },
    summary: summaryOf(input),
  }) as ModelActivities;

/** Says how many attempts there may be, those of earlier runs of the request included: Temporal itself sets no limit. */
const summaryOf = ({ model, attempts }: ModelRequestInput): string =>
  `${model}, at most ${attempts} attempts in all`;

const isStartTimeout = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof TimeoutFailure &&
  error.cause.timeoutType === 'SCHEDULE_TO_START';

const updateSearchAttributes = ({ httpStatus, errorType }: RequestEnd): void =>
  upsertSearchAttributes([
    {
      key: defineSearchAttributeKey('SvcStatus', 'KEYWORD'),
      value: httpStatus < 300 ? 'OK' : httpStatus === 499 ? 'CANCELLED' : 'ERROR',
    },
    { key: defineSearchAttributeKey('SvcHttpStatus', 'INT'), value: httpStatus },
    ...(errorType === null
      ? []
      : [{ key: defineSearchAttributeKey('SvcErrorType', 'KEYWORD'), value: errorType }]),
  ]);
