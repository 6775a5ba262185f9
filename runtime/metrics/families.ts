/** The table of all metrics. Base units; accounts, URLs and ids are never labels, because those have no bound. */

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  /** Upper bounds of a histogram, in seconds. */
  readonly buckets?: readonly number[];
  /** Function that merges the values of the processes of a host; their sum if absent. */
  readonly merge?: 'max' | 'min';
}

const fast = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Buckets in seconds of durations up to an hour. */
const slow = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600];

const counter = (name: string, help: string, ...labels: string[]): Family => ({
  name,
  help,
  type: 'counter',
  labels,
});

const gauge = (name: string, help: string, ...labels: string[]): Family => ({
  name,
  help,
  type: 'gauge',
  labels,
});

const highest = (name: string, help: string, ...labels: string[]): Family => ({
  ...gauge(name, help, ...labels),
  merge: 'max',
});

const seconds = (
  name: string,
  help: string,
  buckets: readonly number[],
  ...labels: readonly string[]
): Family => ({ name, help, type: 'histogram', labels, buckets });

export const families = {
  httpRequests: counter(
    'svc_http_requests_total',
    'Requests, by the template of their route',
    'route',
    'method',
    'status',
  ),
  httpDuration: seconds(
    'svc_http_request_duration_seconds',
    'Time until the response was ready',
    fast,
    'route',
    'method',
  ),
  httpInFlight: gauge('svc_http_in_flight', 'Requests in progress'),
  httpFailures: counter('svc_http_failures_total', 'Errors of the server that were logged', 'route'),
  streamsOpen: gauge('svc_streams_open', 'Streams of the status of requests that clients follow'),
  refused: counter('svc_http_refused_total', 'Requests refused by a limit', 'limit'),

  build: highest('svc_build_info', 'Version of the package; always 1', 'version'),
  processes: gauge('svc_processes', 'Processes behind this endpoint that answered'),
  restarts: counter(
    'svc_process_restarts_total',
    'Request processes that ended unexpectedly and were replaced',
    'cause',
  ),
  loopDelay: highest(
    'svc_event_loop_delay_seconds',
    'Delay of the event loop since the last scrape, of the slowest process',
    'stat',
  ),
  loopUtilization: highest(
    'svc_event_loop_utilization_ratio',
    'Share of time in which the event loop was busy since the last scrape, of the busiest process',
  ),
  cpu: counter('process_cpu_seconds_total', 'CPU time of all processes behind this endpoint'),
  memory: gauge('process_resident_memory_bytes', 'Resident memory of all processes behind this endpoint'),
  heap: gauge('nodejs_heap_size_used_bytes', 'Used heap of all processes behind this endpoint'),
  startTime: {
    ...gauge('process_start_time_seconds', 'Unix time at which the oldest process started'),
    merge: 'min',
  } as Family,

  statementDuration: seconds(
    'svc_db_statement_duration_seconds',
    'Time of statements and transactions, with the wait for a connection',
    fast,
    'kind',
  ),
  databaseErrors: counter('svc_db_errors_total', 'Statements and transactions that failed', 'kind'),
  poolConnections: gauge('svc_db_pool_connections', 'Connections to the database', 'state'),
  poolMaximum: gauge('svc_db_pool_max_connections', 'Connections that the pools may open'),
  poolWaiting: gauge('svc_db_pool_waiting', 'Statements that wait for a connection'),
  poolWait: seconds('svc_db_pool_wait_seconds', 'Wait for a connection of the pool', fast),
  databaseUp: {
    ...gauge('svc_db_up', 'Whether the database answers: 0 where any process has lost it'),
    merge: 'min',
  } as Family,
  plansCreated: counter('svc_plan_cache_misses_total', 'Plans that were made because none was cached', 'use'),
  accessLoads: counter('svc_access_loads_total', 'Reads of the access rules'),
  accessVersion: {
    ...gauge(
      'svc_access_version',
      'Version of the access rules in use, of the process that is furthest behind',
    ),
    merge: 'min',
  } as Family,
  schemaLoads: counter('svc_schema_loads_total', 'Builds of a changed schema', 'status'),
  schemaLoad: seconds('svc_schema_load_seconds', 'Time to build a changed schema', slow),

  submitted: counter('svc_requests_submitted_total', 'Requests accepted by the queue', 'model'),
  refusedRequests: counter(
    'svc_requests_refused_total',
    'Submits and runs that the queue refused, by type of the error',
    'reason',
  ),
  limitHits: counter('svc_account_limit_hits_total', 'Times that an account reached a quota', 'limit'),
  temporalCall: seconds(
    'svc_temporal_call_seconds',
    'Time of a call of Temporal by a server',
    fast,
    'call',
    'status',
  ),
  temporalStart: seconds('svc_temporal_start_seconds', 'Time to start a workflow', fast, 'status'),
  runs: counter('svc_runs_total', 'Attempts to run a model, by outcome', 'model', 'outcome'),
  runDuration: seconds('svc_run_duration_seconds', 'Time of an attempt to run a model', slow, 'model'),
  queueWait: seconds('svc_queue_wait_seconds', 'Time from submit to the first attempt', slow, 'model'),
  runFailures: counter(
    'svc_run_failures_total',
    'Attempts of models that failed, by type of the error',
    'model',
    'error_type',
  ),
  lostLines: counter('svc_log_lines_lost_total', 'Log lines of models that were not stored', 'model'),
  childExits: counter(
    'svc_child_exits_total',
    'Processes of function models that ended in a run',
    'model',
    'cause',
  ),
  children: gauge('svc_children', 'Processes of function models in workers', 'model', 'state'),
  childMemory: highest(
    'svc_child_rss_bytes',
    'Resident memory of the largest process of a model in workers',
    'model',
  ),
  tasks: gauge('svc_worker_tasks', 'Activities in flight', 'activity'),

  requests: highest(
    'svc_requests',
    'Requests that have not ended, and runs of /run',
    'model',
    'class',
    'state',
  ),
  oldestWaiting: highest('svc_oldest_waiting_seconds', 'Age of the oldest waiting request', 'model', 'class'),
  slots: highest('svc_slots', 'Concurrent runs of a model: its limit, and those in use', 'model', 'state'),
  notStarted: highest('svc_not_started', 'Admitted requests whose workflow is not known to exist'),
  classWorkers: highest('svc_class_workers', 'Live workers that serve a class of models', 'class'),

  webhookAttempts: counter('svc_webhook_attempts_total', 'Attempts to deliver a webhook', 'outcome'),
  webhookDuration: seconds(
    'svc_webhook_attempt_duration_seconds',
    'Time of an attempt to deliver a webhook',
    fast,
  ),
  webhookLag: seconds(
    'svc_webhook_lag_seconds',
    'Time from the end of a request to the accepted delivery',
    slow,
  ),
  webhookPostponed: counter(
    'svc_webhook_postponed_total',
    'Attempts that were postponed without being made',
    'reason',
  ),
  webhookInFlight: gauge('svc_webhook_in_flight', 'Attempts to deliver a webhook in progress'),
  webhookBreakers: gauge(
    'svc_webhook_breakers',
    'Receivers of an account whose breaker is open, or tries a probe',
    'state',
  ),
  webhookPending: highest('svc_webhook_pending', 'Deliveries that are neither accepted nor given up'),
  webhookOldest: highest('svc_webhook_oldest_pending_seconds', 'Age of the oldest pending delivery'),

  jobRuns: counter('svc_job_runs_total', 'Runs of scheduled jobs', 'name', 'status'),
  jobDuration: seconds('svc_job_duration_seconds', 'Time of scheduled jobs', slow, 'name'),
  jobSuccess: highest(
    'svc_job_last_success_timestamp_seconds',
    'Unix time of the last success of a scheduled job',
    'name',
  ),
} as const satisfies Readonly<Record<string, Family>>;

export type FamilyName = keyof typeof families;
