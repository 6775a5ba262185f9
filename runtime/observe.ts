/**
 * Everything that is logged, as one union: stages report events, an observer decides how to log them.
 * Observations never carry bind values, tokens or bodies, and URLs come without their query string.
 */
import type { DestinationStream } from 'pino';
import type { Config } from './config/config.js';
import type { LogLevel } from './config/variables.js';

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
    }
  | QueueObservation
  | { kind: 'warning'; message: string };

/** What happens to requests of the queue and to webhooks. */
export type QueueObservation =
  /** A caller has reached a limit: `rate`, or the name of a quota. */
  | { kind: 'limitReached'; limit: string }
  | { kind: 'submitted'; model: string }
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
  /** The process of a function model ended in a run. */
  | { kind: 'childEnded'; model: string; cause: string }
  /** Log lines of an attempt that were not stored, as the database was away or the worker died. */
  | { kind: 'linesLost'; request: string; model: string; lines: number }
  /** `lagMs`: from the creation of the delivery to its acceptance; null where it was not accepted. */
  | { kind: 'webhookAttempted'; outcome: string; ms: number; lagMs: number | null }
  | { kind: 'webhookPostponed'; reason: 'paused' | 'receiver_busy' | 'receiver_failing' }
  | { kind: 'jobFinished'; job: string; status: 'ok' | 'failed'; ms: number };

export type AttemptOutcome = 'ok' | 'error' | 'retry' | 'cancelled' | 'lost';

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

/** A log entry: the message and its machine-readable `fields`. */
interface LogEntry {
  readonly level: Exclude<LogLevel, 'silent'>;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Converts an observation to a log entry. */
const toLogEntry = (observation: Observation): LogEntry => {
  const { kind, ...fields } = observation;
  const [level, toMessage] = levelsAndMessages[kind] as LevelAndMessage<Observation>;
  return { level, message: toMessage(observation), fields: { kind, ...fields } };
};

type LevelAndMessage<Observed> = readonly [LogEntry['level'], (observation: Observed) => string];

/** The only place that decides level and message. */
const levelsAndMessages: {
  readonly [Kind in Observation['kind']]: LevelAndMessage<Extract<Observation, { kind: Kind }>>;
} = {
  requestFinished: [
    'debug',
    ({ method, route, status, ms }) => `${method} ${route} ${status} ${formatDuration(ms)}`,
  ],
  requestFailed: ['error', ({ method, route, id }) => `${method} ${route} failed (request ${id})`],
  answerFailed: [
    'error',
    ({ collection }) => `an item of "${collection}" is stored, but could not be read for the response`,
  ],
  statementFinished: ['trace', ({ operation, ms }) => `${operation} in ${formatDuration(ms)}`],
  connectionAwaited: ['trace', ({ ms }) => `a connection was free after ${formatDuration(ms)}`],
  planCreated: ['trace', ({ use }) => `a plan was made: ${use}`],
  limitReached: ['debug', ({ limit }) => `a caller has reached the limit "${limit}"`],
  step: ['info', ({ name, ms }) => `${name} ${formatDuration(ms)}`],
  started: [
    'info',
    ({ collections, ms, urls }) =>
      `serving ${collections} collections after ${formatDuration(ms)}: ${urlsToText(urls)}`,
  ],
  stopping: ['info', ({ reason }) => `stopping: ${reason}`],
  stopped: ['info', () => 'stopped'],
  databaseDefault: ['info', ({ url }) => `DATABASE_URL is not set; using ${url}`],
  databaseAwaited: ['warn', ({ reason }) => `waiting for the database: ${reason}`],
  databaseLost: ['error', ({ reason }) => `lost the connection to the database: ${reason}`],
  databaseBack: ['info', ({ ms }) => `the database is back after ${formatDuration(ms)}`],
  accessReloaded: [
    'debug',
    ({ version, ms }) => `access rules version ${version} read in ${formatDuration(ms)}`,
  ],
  processStarted: ['debug', ({ process }) => `request process ${process} is ready`],
  processEnded: [
    'error',
    ({ process, reason, restartMs }) =>
      `request process ${process} ended (${reason}); another one starts in ${formatDuration(restartMs)}`,
  ],
  processHung: [
    'error',
    ({ process, ms, operations }) =>
      `process ${process} has not responded for ${formatDuration(ms)}; in flight: ${operationsToText(operations)}`,
  ],
  generatedStale: [
    'warn',
    ({ changes }) => `generated/ is out of date (${changes} files differ); run "svc generate"`,
  ],
  ruleFaulty: ['warn', ({ rule, part, problem }) => `${rule}, in "${part}": ${problem}`],
  schemaChanged: [
    'info',
    ({ changes, ms }) =>
      `the schema has changed: ${changes.join('; ') || 'what is known about it'}; built in ${formatDuration(ms)}`,
  ],
  schemaReloadFailed: [
    'error',
    ({ reason }) => `the schema has changed and cannot be served, the former one still is: ${reason}`,
  ],
  workersStarted: ['info', ({ roles }) => `workers started: ${roles.join(', ')}`],
  workerFailed: ['error', () => 'a worker task failed'],
  modelFailed: [
    'error',
    ({ model, request, account, attempt }) =>
      `${model} failed: request ${request} of account ${account}, attempt ${attempt}`,
  ],
  submitted: ['trace', ({ model }) => `a request for ${model} was accepted`],
  submissionRefused: ['debug', ({ reason }) => `a request was refused: ${reason}`],
  workflowStarted: ['trace', ({ status, ms }) => `start of a workflow: ${status}, ${formatDuration(ms)}`],
  attemptFinished: [
    'debug',
    ({ model, outcome, ms }) => `attempt to run ${model}: ${outcome} after ${formatDuration(ms)}`,
  ],
  childEnded: ['debug', ({ model, cause }) => `the process of a run of ${model} ended: ${cause}`],
  linesLost: ['warn', ({ request, lines }) => `${lines} log lines of request ${request} were not stored`],
  webhookAttempted: ['debug', ({ outcome, ms }) => `webhook: ${outcome} after ${formatDuration(ms)}`],
  webhookPostponed: ['debug', ({ reason }) => `a webhook was postponed: ${reason}`],
  jobFinished: ['debug', ({ job, status, ms }) => `${job}: ${status} after ${formatDuration(ms)}`],
  warning: ['warn', ({ message }) => message],
};

const urlsToText = (urls: Readonly<Record<string, string>>): string =>
  Object.entries(urls)
    .map(([name, url]) => `${name} ${url}`)
    .join(', ');

const operationsToText = (operations: Readonly<Record<string, number>>): string =>
  Object.entries(operations)
    .map(([name, count]) => (count === 1 ? name : `${count} × ${name}`))
    .join(', ') || 'nothing';

const formatDuration = (ms: number): string => (ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`);

/** Numeric levels of pino. */
const levelNumbers = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
  silent: Infinity,
} as const;

/**
 * Creates an observer for the supervisor that writes the same log entries without a library, to use little memory.
 */
export const createLightObserver = (
  config: Pick<Config, 'log'>,
  write: (line: string) => void = (line) => void process.stdout.write(line),
): Observe => {
  const { level, style } = config.log;
  return (observation) => {
    const entry = toLogEntry(observation);
    if (levelNumbers[entry.level] < levelNumbers[level]) return;
    const at = new Date();
    const text =
      style === 'pretty'
        ? `[${at.toTimeString().slice(0, 8)}] ${entry.level.toUpperCase()}: ${entry.message}`
        : JSON.stringify({
            level: levelNumbers[entry.level],
            time: at.getTime(),
            pid: process.pid,
            ...entry.fields,
            msg: entry.message,
          });
    write(`${text}\n`);
  };
};

/** Creates an observer on pino, one line per observation; pino-pretty is loaded only when configured. */
export const createObserver = async (config: Pick<Config, 'log'>): Promise<Observe> => {
  const { pino } = await import('pino');
  const stdout = pino.destination({ fd: 1, sync: true });
  const stream = config.log.style === 'pretty' ? await prettyStream(stdout) : stdout;
  const options = {
    level: config.log.level,
    base: { pid: process.pid },
    serializers: { error: errorToFields },
  };
  const logger = pino(options, stream);
  const requests = logger.isLevelEnabled('debug');
  const details = logger.isLevelEnabled('trace');
  return (observation) => {
    // checked before anything is allocated, because both occur with every request
    if (observation.kind === 'requestFinished' && !requests) return;
    if (observation.kind === 'statementFinished' && !details) return;
    const entry = toLogEntry(observation);
    logger[entry.level](entry.fields, entry.message);
  };
};

const prettyStream = async (destination: DestinationStream): Promise<DestinationStream> => {
  const { default: pretty } = await import('pino-pretty');
  return pretty({
    destination: destination as unknown as NodeJS.WritableStream,
    translateTime: 'HH:MM:ss',
    include: 'level,time,error,sql',
  });
};

/** Keeps only safe fields of an error, because drivers attach bind values to their errors. */
const errorToFields = (error: unknown): unknown => {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...(code === undefined ? {} : { code }),
  };
};
