/** One request, from its slot to its end. The model's answer, good or bad, is a result; the platform's is a failure. */
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

export async function modelRequest(input: ModelRequestInput): Promise<RequestEnd> {
  const reached = await proceed(input);
  const end = 'ending' in reached ? await unlessCancelled(() => endRequest(reached.ending)) : reached;
  if (input.searchable) describeEnd(end);
  if ('ending' in reached) throwBroken(reached, end);
  return end;
}

/** The platform could not bring it to its end. */
interface Broken {
  readonly ending: PlatformEnd;
  readonly cause: unknown;
}

const unlessCancelled = <Result>(body: () => Promise<Result>): Promise<Result> =>
  CancellationScope.nonCancellable(body);

const proceed = async (input: ModelRequestInput): Promise<RequestEnd | Broken> => {
  try {
    if (!(await hasTurn(input))) return broken(input, 'startTimeout', null);
    setCurrentDetails(`runs ${input.model}`);
    return await activitiesOf(input).runModel(input);
  } catch (error) {
    if (isCancellation(error)) return broken(input, 'cancelled', error);
    return broken(input, isStartTimeout(error) ? 'startTimeout' : 'failed', error);
  }
};

const broken = ({ requestId }: ModelRequestInput, kind: PlatformEnd['kind'], cause: unknown): Broken => {
  const failure = cause instanceof ActivityFailure ? cause.cause : undefined;
  const type = failure instanceof ApplicationFailure ? failure.type : null;
  return { ending: { requestId, kind, ...(isErrorType(type) && { errorType: type }) }, cause };
};

/** As Temporal counts: cancelled and failed workflows are not completed ones. */
const throwBroken = ({ ending, cause }: Broken, { errorType }: RequestEnd): void => {
  if (ending.kind === 'cancelled') throw cause;
  if (ending.kind === 'startTimeout') return;
  throw ApplicationFailure.nonRetryable(`the platform failed: ${errorType}`, failureTypes.platform);
};

/** Waits for the slot. @returns whether it came in time */
const hasTurn = async ({ admitted, startBefore }: ModelRequestInput): Promise<boolean> => {
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
    // the activity ends by itself in time; this is for one that does not
    startToCloseTimeout: input.timeout + 30_000,
    heartbeatTimeout: '10s',
    ...(input.startBefore !== null && {
      scheduleToStartTimeout: Math.max(1, input.startBefore - Date.now()),
    }),
    // the activity counts: an attempt that did not reach the model is none
    retry: { initialInterval: '1s', maximumInterval: '60s' },
    summary: input.model,
  }) as ModelActivities;

const isStartTimeout = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof TimeoutFailure &&
  error.cause.timeoutType === 'SCHEDULE_TO_START';

const describeEnd = ({ httpStatus, errorType, hasWebhook }: RequestEnd): void =>
  upsertSearchAttributes([
    {
      key: defineSearchAttributeKey('SvcStatus', 'KEYWORD'),
      value: httpStatus < 300 ? 'OK' : httpStatus === 499 ? 'CANCELLED' : 'ERROR',
    },
    { key: defineSearchAttributeKey('SvcHttpStatus', 'INT'), value: httpStatus },
    {
      key: defineSearchAttributeKey('SvcWebhookState', 'KEYWORD'),
      value: hasWebhook ? 'pending' : 'none',
    },
    ...(errorType === null
      ? []
      : [{ key: defineSearchAttributeKey('SvcErrorType', 'KEYWORD'), value: errorType }]),
  ]);
