/** Counts the observations of a process, and reads its gauges for each snapshot. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Observation, Observe, TrackOperation } from '../observe.js';
import { createTallies, type Snapshot, type Tallies } from './tallies.js';
import { watchProcess } from './process.js';

export interface Metrics {
  readonly observe: Observe;
  /** Counts operations in flight in addition to what `track` does. */
  tracked(track: TrackOperation): TrackOperation;
  /** Sets gauges for each snapshot; a function that fails, or takes long, leaves its gauges as they were. */
  watch(read: ReadGauges): void;
  /**
   * Has the counters that alerts are made of begin at 0 for the models that a worker runs: Prometheus takes the first value
   * of a series for its start, so that what is counted before the first scrape would be no increase.
   */
  beginModels(ids: readonly string[]): void;
  /** The same for attempts to deliver webhooks. */
  beginWebhooks(): void;
  snapshot(): Promise<Snapshot>;
  close(): void;
}

export type ReadGauges = (tallies: Pick<Tallies, 'set' | 'clear'>) => void | Promise<void>;

export interface MetricsOptions {
  /** Version of the package. */
  readonly version: string;
}

/** Milliseconds for which gauges are waited for: without its database, a process is to be scraped all the same. */
const readLimit = 1_500;

/** Creates the metrics of this process. `version` is the label of `svc_build_info`. */
export const createMetrics = ({ version }: MetricsOptions): Metrics => {
  const tallies = createTallies();
  const count = createCounter(tallies);
  const host = watchProcess(tallies);
  const readers: ReadGauges[] = [host.read];
  let inFlight = 0;
  tallies.set('build', [version], 1);
  tallies.set('processes', [], 1);
  tallies.set('streamsOpen', [], 0);
  for (const cause of ['stall', 'exit']) tallies.add('restarts', [cause], 0);
  readers.push(({ set }) => set('httpInFlight', [], inFlight));
  return {
    observe: count,
    tracked: (track) => (name) => {
      const finish = track(name);
      inFlight += 1;
      return () => {
        inFlight -= 1;
        finish();
      };
    },
    watch: (read) => void readers.push(read),
    beginModels(ids) {
      for (const id of ids) {
        for (const outcome of ['ok', 'error']) tallies.add('runs', [id, outcome], 0);
        tallies.add('lostLines', [id], 0);
      }
    },
    beginWebhooks: () => tallies.add('webhookAttempts', ['ok'], 0),
    async snapshot() {
      const read = Promise.allSettled(readers.map(async (each) => each(tallies)));
      await Promise.race([read, sleep(readLimit, undefined, { ref: false })]);
      return tallies.snapshot();
    },
    close: host.close,
  };
};

type Counters = {
  readonly [Kind in Observation['kind']]?: (
    tallies: Tallies,
    observation: Extract<Observation, { kind: Kind }>,
  ) => void;
};

const createCounter =
  (tallies: Tallies): Observe =>
  (observation) => {
    const count = counters[observation.kind] as
      | ((tallies: Tallies, observed: Observation) => void)
      | undefined;
    count?.(tallies, observation);
  };

const none: readonly string[] = [];

const queueCounters: Counters = {
  submitted: (tallies, { model }) => tallies.add('submitted', [model]),
  submissionRefused: (tallies, { reason }) => tallies.add('refusedRequests', [reason]),
  workflowStarted: (tallies, { ms, status }) => tallies.observe('temporalStart', [status], ms / 1000),
  temporalCalled: (tallies, { call, status, ms }) =>
    tallies.observe('temporalCall', [call, status], ms / 1000),
  attemptFinished(tallies, { model, outcome, errorType, ms, waitedMs }) {
    tallies.add('runs', [model, outcome]);
    tallies.observe('runDuration', [model], ms / 1000);
    if (errorType !== null) tallies.add('runFailures', [model, errorType]);
    if (waitedMs !== null) tallies.observe('queueWait', [model], waitedMs / 1000);
  },
  attemptLost: (tallies, { model }) => tallies.add('runs', [model, 'lost']),
  streamOpened: (tallies) => tallies.add('streamsOpen', none),
  streamEnded: (tallies) => tallies.add('streamsOpen', none, -1),
  childEnded: (tallies, { model, cause }) => tallies.add('childExits', [model, cause]),
  linesLost: (tallies, { model, lines }) => tallies.add('lostLines', [model], lines),
  webhookAttempted(tallies, { outcome, ms, lagMs }) {
    tallies.add('webhookAttempts', [outcome]);
    tallies.observe('webhookDuration', none, ms / 1000);
    if (lagMs !== null) tallies.observe('webhookLag', none, lagMs / 1000);
  },
  webhookPostponed: (tallies, { reason }) => tallies.add('webhookPostponed', [reason]),
  jobFinished(tallies, { job, status, ms }) {
    tallies.add('jobRuns', [job, status]);
    tallies.observe('jobDuration', [job], ms / 1000);
    if (status === 'ok') tallies.set('jobSuccess', [job], Date.now() / 1000);
  },
};

const counters: Counters = {
  ...queueCounters,
  requestFinished(tallies, { route, method, status, ms }) {
    tallies.add('httpRequests', [route, method, statusText(status)]);
    tallies.observe('httpDuration', [route, method], ms / 1000);
  },
  requestFailed: (tallies, { route }) => tallies.add('httpFailures', [route]),
  statementFinished(tallies, { operation, ms, failure }) {
    tallies.observe('statementDuration', [operation], ms / 1000);
    if (failure !== null) tallies.add('databaseErrors', [failure]);
  },
  connectionAwaited: (tallies, { ms }) => tallies.observe('poolWait', none, ms / 1000),
  // afterwards it is read for each snapshot
  databaseAwaited: (tallies) => tallies.set('databaseUp', none, 0),
  planCreated: (tallies, { use }) => tallies.add('plansCreated', [use]),
  limitReached: (tallies, { limit }) =>
    limit === 'rate' ? tallies.add('refused', [limit]) : tallies.add('limitHits', [limit]),
  accessReloaded(tallies, { version }) {
    tallies.add('accessLoads', none);
    tallies.set('accessVersion', none, Number(version));
  },
  processEnded: (tallies, { hung }) => tallies.add('restarts', [hung ? 'stall' : 'exit']),
  schemaChanged(tallies, { ms }) {
    tallies.add('schemaLoads', ['ok']);
    tallies.observe('schemaLoad', none, ms / 1000);
  },
  schemaReloadFailed: (tallies) => tallies.add('schemaLoads', ['failed']),
};

const statusTexts = new Map<number, string>();

/** Converts a status without a new text for each request. */
const statusText = (status: number): string => {
  let text = statusTexts.get(status);
  if (text === undefined) statusTexts.set(status, (text = String(status)));
  return text;
};
