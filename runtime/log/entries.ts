/** Decides level and message of each observation. */
import type { LogLevel } from '../config/variables.js';
import type { Observation } from '../observe.js';

/** A log entry: the message and its machine-readable `fields`. */
export interface LogEntry {
  readonly level: Exclude<LogLevel, 'silent'>;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Converts an observation to a log entry. */
export const toLogEntry = (observation: Observation): LogEntry => {
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
    ({ collection }) => `an item of "${collection}" was stored, but could not be read for the response`,
  ],
  statementFinished: ['trace', ({ operation, ms }) => `${operation} in ${formatDuration(ms)}`],
  connectionAwaited: ['trace', ({ ms }) => `waited ${formatDuration(ms)} for a connection of the pool`],
  planCreated: ['trace', ({ use }) => `planned a query that was not in the cache: ${use}`],
  limitReached: ['debug', ({ limit }) => `a caller has reached the limit "${limit}"`],
  step: ['info', ({ name, ms }) => `${name} took ${formatDuration(ms)}`],
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
  databaseBack: ['info', ({ ms }) => `connected to the database again after ${formatDuration(ms)}`],
  accessReloaded: [
    'debug',
    ({ version, ms }) => `read version ${version} of the access rules in ${formatDuration(ms)}`,
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
    ({ changes }) =>
      `generated/ is out of date (${changes} ${changes === 1 ? 'file differs' : 'files differ'}); run "svc generate"`,
  ],
  ruleFaulty: ['warn', ({ rule, part, problem }) => `${rule}, in "${part}": ${problem}`],
  schemaChanged: [
    'info',
    ({ changes, ms }) =>
      `the schema has changed: ${changes.join('; ') || 'the metadata of its collections'}; built in ${formatDuration(ms)}`,
  ],
  schemaReloadFailed: [
    'error',
    ({ reason }) =>
      `the schema has changed but cannot be served; requests are answered by the former one: ${reason}`,
  ],
  workersStarted: ['info', ({ roles }) => `workers started: ${roles.join(', ')}`],
  workerFailed: ['error', () => 'a task of a worker failed and is retried'],
  modelFailed: [
    'error',
    ({ model, request, account, attempt, late }) =>
      `${model} failed${late ? ' after its end, in what it left running' : ''}: ` +
      `request ${request} of account ${account}, attempt ${attempt}`,
  ],
  streamOpened: ['trace', () => 'a client began to follow a request'],
  streamEnded: ['trace', () => 'a client stopped following a request'],
  submitted: ['trace', ({ model }) => `a request for ${model} was accepted`],
  submissionRefused: ['debug', ({ reason }) => `a request for a model was rejected: ${reason}`],
  workflowStarted: [
    'trace',
    ({ status, ms }) => `start of a workflow: ${status} after ${formatDuration(ms)}`,
  ],
  temporalCalled: [
    'trace',
    ({ call, status, ms }) => `call of Temporal (${call}): ${status} after ${formatDuration(ms)}`,
  ],
  attemptFinished: [
    'debug',
    ({ model, outcome, ms }) => `an attempt to run ${model} ended after ${formatDuration(ms)}: ${outcome}`,
  ],
  attemptLost: ['warn', ({ model }) => `an attempt to run ${model} ended with its worker`],
  memoryLimited: [
    'info',
    ({ by }) =>
      by === 'kernel'
        ? 'control groups limit the memory of functions'
        : 'the memory of functions is measured every 100 ms; in a unit of systemd with Delegate=memory, control groups limit it',
  ],
  childEnded: ['debug', ({ model, cause }) => `the process of a run of ${model} ended: ${cause}`],
  linesLost: ['warn', ({ request, lines }) => `${lines} log lines of request ${request} were not stored`],
  webhookAttempted: [
    'debug',
    ({ outcome, ms }) => `an attempt to deliver a webhook ended after ${formatDuration(ms)}: ${outcome}`,
  ],
  webhookPostponed: ['debug', ({ reason }) => `a webhook was postponed: ${reason}`],
  jobFailed: ['error', ({ job }) => `the job ${job} failed and runs again at its next time`],
  jobFinished: [
    'debug',
    ({ job, status, ms }) => `the job ${job} ended after ${formatDuration(ms)}: ${status}`,
  ],
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
