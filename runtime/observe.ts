/**
 * All events that are logged, as one union: stages report events, an observer (`log/observers.ts`) logs them.
 * Observations never carry bind values, tokens or bodies, and URLs come without their query string.
 */
export type Observation =
  /** `route` is the template (`/items/:collection`), never the URL. */
  | { kind: 'requestFinished'; id: string; method: string; route: string; status: number; ms: number }
  /** A 5xx response, which is a fault of the server. */
  | { kind: 'requestFailed'; id: string; method: string; route: string; error: unknown; sql?: string }
  /** A row was stored but could not be read for the response. */
  | { kind: 'answerFailed'; collection: string; error: unknown }
  /** A statement or a transaction, with the wait for a connection. */
  | { kind: 'statementFinished'; operation: StatementKind; ms: number; failure: StatementFailure | null }
  /** A connection of the pool was free after `ms`. */
  | { kind: 'connectionAwaited'; ms: number }
  /** No plan was cached for a use, such as `list`. */
  | { kind: 'planCreated'; use: string }
  /** A completed step of the start: `database`, `catalog`, `build`, `load`, `listen`. */
  | { kind: 'step'; name: string; ms: number }
  /** `ms` since the process started; `urls` by service name. */
  | { kind: 'started'; collections: number; urls: Readonly<Record<string, string>>; ms: number }
  | { kind: 'stopping'; reason: string }
  | { kind: 'stopped' }
  /** `DATABASE_URL` is not set. */
  | { kind: 'databaseDefault'; url: string }
  | { kind: 'databaseAwaited'; reason: string }
  | { kind: 'databaseLost'; reason: string }
  | { kind: 'databaseBack'; ms: number }
  | { kind: 'accessReloaded'; version: string; ms: number }
  | { kind: 'processStarted'; process: number }
  /** `hung`: it was killed because it did not respond. */
  | { kind: 'processEnded'; process: number; reason: string; hung: boolean; restartMs: number }
  /** An event loop that has not turned for `ms`; `operations` in flight, by name. */
  | { kind: 'processHung'; process: number; ms: number; operations: Readonly<Record<string, number>> }
  /** The committed output differs from the output generated from the current database and spec. */
  | { kind: 'generatedStale'; changes: number }
  /** A rule of a permission or field cannot be evaluated, so what it guards is refused. */
  | { kind: 'ruleFaulty'; rule: string; part: string; problem: string }
  /** The schema of the database has changed; its build took `ms` to make. */
  | { kind: 'schemaChanged'; changes: readonly string[]; ms: number }
  /** The schema as it is now cannot be served; the one before still is. */
  | { kind: 'schemaReloadFailed'; reason: string }
  | { kind: 'workersStarted'; roles: readonly string[] }
  /** A failed worker task that is retried. */
  | { kind: 'workerFailed'; error: unknown }
  /** A model that threw, whose process ended, or whose server could not be reached; `attempt` is 0 for `/run`. */
  | {
      kind: 'modelFailed';
      request: string;
      model: string;
      account: string;
      attempt: number;
      error: unknown;
      late?: true;
    }
  | QueueObservation
  | { kind: 'warning'; message: string };

/** Events of requests of the queue and of webhooks. */
export type QueueObservation =
  /** A caller has reached a limit: `rate`, or the name of a quota. */
  | { kind: 'limitReached'; limit: string }
  | { kind: 'submitted'; model: string }
  /** A client follows the status of a request, or does so no longer. */
  | { kind: 'streamOpened' }
  | { kind: 'streamEnded' }
  /** The queue refused a submit or a run; `reason` is the type of the error. */
  | { kind: 'submissionRefused'; reason: string }
  /** A workflow was started, or could not be. */
  | { kind: 'workflowStarted'; ms: number; status: 'ok' | 'failed' }
  /** `waitedMs`: from submit to the first attempt; null for later ones. */
  | {
      kind: 'attemptFinished';
      model: string;
      outcome: AttemptOutcome;
      errorType: string | null;
      ms: number;
      waitedMs: number | null;
    }
  /** A call of Temporal by the API; `status` is `ok`, the name of a gRPC status, or `other`. */
  | { kind: 'temporalCalled'; call: TemporalCall; status: string; ms: number }
  /** An attempt that ended with its worker, found by the next attempt or the sweep. */
  | { kind: 'attemptLost'; model: string }
  /** The first process of a function model started: the kernel limits memory, or it is measured at intervals. */
  | { kind: 'memoryLimited'; by: 'kernel' | 'measurement' }
  /** The process of a function model ended in a run. */
  | { kind: 'childEnded'; model: string; cause: string }
  /** Log lines of an attempt that were not stored, as the database was away or the worker died. */
  | { kind: 'linesLost'; request: string; model: string; lines: number }
  /** `lagMs`: from the creation of the delivery to its acceptance; null where it was not accepted. */
  | { kind: 'webhookAttempted'; outcome: string; ms: number; lagMs: number | null }
  | { kind: 'webhookPostponed'; reason: 'paused' | 'receiver_busy' | 'receiver_failing' }
  /** A scheduled job failed; it runs again at its next time. */
  | { kind: 'jobFailed'; job: string; error: unknown }
  | { kind: 'jobFinished'; job: string; status: 'ok' | 'failed'; ms: number };

/**
 * The end of an attempt: `ok` with the result of the model, `error` with a final error of the platform, `retry` with one
 * after which the request is run again, `cancelled`, or `lost` with its worker.
 */
export type AttemptOutcome = 'ok' | 'error' | 'retry' | 'cancelled' | 'lost';

/** A call of Temporal: to start or signal the workflow of a request, to cancel it, to start or signal a delivery, to read a state. */
export type TemporalCall =
  | 'start'
  | 'admit'
  | 'cancel'
  | 'deliver'
  | 'resume'
  | 'state'
  | 'start_apply'
  | 'cancel_apply';

export type StatementKind = 'read' | 'write' | 'transaction';
export type StatementFailure = 'lost' | 'other';

export type Observe = (observation: Observation) => void;

/** Reports to several observers. */
export const observeAll =
  (...observers: readonly Observe[]): Observe =>
  (observation) => {
    for (const observe of observers) observe(observation);
  };

/** Records the start of an operation by the name of its route or task; the returned function records its end. */
export type TrackOperation = (name: string) => () => void;

/** Runs a step of the start and reports its duration. */
export const timed = async <Result>(
  name: string,
  observe: Observe,
  body: () => Promise<Result>,
): Promise<Result> => {
  const began = performance.now();
  const result = await body();
  observe({ kind: 'step', name, ms: performance.now() - began });
  return result;
};
