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
  | { kind: 'queryFinished'; sql: string; rows: number; ms: number }
  /** One step of a start: `database`, `catalog`, `build`, `load`, `listen`. */
  | { kind: 'step'; name: string; ms: number }
  /** `ms` since the process began; `urls` by name of the service. */
  | { kind: 'started'; collections: number; urls: Readonly<Record<string, string>>; ms: number }
  | { kind: 'stopping'; reason: string }
  | { kind: 'stopped' }
  | { kind: 'databaseAwaited'; reason: string }
  | { kind: 'databaseLost'; reason: string }
  | { kind: 'databaseBack'; ms: number }
  | { kind: 'accessReloaded'; version: string; ms: number }
  | { kind: 'processStarted'; process: number }
  | { kind: 'processEnded'; process: number; reason: string; restartMs: number }
  /** The committed output differs from what database and spec generate now. */
  | { kind: 'generatedStale'; changes: number }
  | { kind: 'workersStarted'; roles: readonly string[] }
  /** A failed worker task that is retried, or a model that threw. */
  | { kind: 'workerFailed'; error: unknown }
  | { kind: 'warning'; message: string };

export type Observe = (observation: Observation) => void;

/** Runs one step of a start and reports its duration. */
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
interface Line {
  readonly level: Exclude<LogLevel, 'silent'>;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Converts an observation to a log entry; level and wording are decided only here. */
const describe = (observation: Observation): Line => {
  const { kind, ...fields } = observation;
  return { ...wording(observation), fields: { kind, ...fields } };
};

type Wording = Pick<Line, 'level' | 'message'>;

const wording = (seen: Observation): Wording => {
  switch (seen.kind) {
    case 'requestFinished':
      return { level: 'debug', message: `${seen.method} ${seen.route} ${seen.status} ${time(seen.ms)}` };
    case 'requestFailed':
      return { level: 'error', message: `${seen.method} ${seen.route} failed (request ${seen.id})` };
    case 'answerFailed':
      return {
        level: 'error',
        message: `an item of "${seen.collection}" is stored, but could not be read for the answer`,
      };
    case 'queryFinished':
      return { level: 'trace', message: `${seen.rows} rows in ${time(seen.ms)}` };
    case 'step':
      return { level: 'info', message: `${seen.name} ${time(seen.ms)}` };
    case 'started':
      return {
        level: 'info',
        message: `serving ${seen.collections} collections after ${time(seen.ms)}: ${urlsToText(seen.urls)}`,
      };
    case 'stopping':
      return { level: 'info', message: `stopping: ${seen.reason}` };
    case 'stopped':
      return { level: 'info', message: 'stopped' };
    case 'databaseAwaited':
      return { level: 'warn', message: `waiting for the database: ${seen.reason}` };
    case 'databaseLost':
      return { level: 'error', message: `the database went away: ${seen.reason}` };
    case 'databaseBack':
      return { level: 'info', message: `the database is back after ${time(seen.ms)}` };
    case 'accessReloaded':
      return { level: 'debug', message: `access rules version ${seen.version} read in ${time(seen.ms)}` };
    case 'processStarted':
      return { level: 'debug', message: `request process ${seen.process} is ready` };
    case 'processEnded':
      return {
        level: 'error',
        message: `request process ${seen.process} ended (${seen.reason}); another one starts in ${time(seen.restartMs)}`,
      };
    case 'generatedStale':
      return {
        level: 'warn',
        message: `generated/ is behind database or spec (${seen.changes} files); "svc generate" renews it`,
      };
    case 'workersStarted':
      return { level: 'info', message: `working: ${seen.roles.join(', ')}` };
    case 'workerFailed':
      return { level: 'error', message: 'a worker could not finish something' };
    case 'warning':
      return { level: 'warn', message: seen.message };
  }
};

const urlsToText = (urls: Readonly<Record<string, string>>): string =>
  Object.entries(urls)
    .map(([name, url]) => `${name} ${url}`)
    .join(', ');

const time = (ms: number): string => (ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`);

/** Numeric levels of pino. */
const weights = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: Infinity } as const;

/**
 * Creates an observer for the supervisor, which has to stay small: the same log entries without a library.
 */
export const createLightObserver = (config: Pick<Config, 'log'>): Observe => {
  const { level, style } = config.log;
  return (observation) => {
    const line = describe(observation);
    if (weights[line.level] < weights[level]) return;
    const at = new Date();
    const text =
      style === 'pretty'
        ? `[${at.toTimeString().slice(0, 8)}] ${line.level.toUpperCase()}: ${line.message}`
        : JSON.stringify({
            level: weights[line.level],
            time: at.getTime(),
            pid: process.pid,
            ...line.fields,
            msg: line.message,
          });
    process.stdout.write(`${text}\n`);
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
  const queries = logger.isLevelEnabled('trace');
  return (observation) => {
    // Checked before anything is allocated, because both occur on every request.
    if (observation.kind === 'requestFinished' && !requests) return;
    if (observation.kind === 'queryFinished' && !queries) return;
    const line = describe(observation);
    logger[line.level](line.fields, line.message);
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

/** Keeps only harmless fields of an error: drivers attach bind values to theirs. */
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
