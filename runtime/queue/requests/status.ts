/** Builds the status response of a request. */
import type { LogLevel } from '../../../contract/queue-model.js';
import { errorText } from './outcome.js';
import { isBuiltIn } from './built-in-id.js';
import type { QueueSettings } from '../settings.js';
import { formatCursor, logStart, readLogs, type LogCursor, type LogLine } from '../store/logs.js';
import { readProgress } from '../store/transfers.js';
import { countAhead } from '../store/waiting-counts.js';
import type { RequestHead, RequestState } from '../store/request-head.js';
import type { Statements } from '../../execute/system-rows.js';

export interface RequestUrls {
  readonly response_url: string;
  readonly status_url: string;
  readonly cancel_url: string;
}

/** Returns the URLs of a request, absolute, below the public URL of the queue. */
export const requestUrls = (
  { id, model }: Pick<RequestHead, 'id' | 'model'>,
  { queueUrl }: Pick<QueueSettings, 'queueUrl'>,
): RequestUrls => {
  const url = `${queueUrl()}/${model}/requests/${id}`;
  return { response_url: url, status_url: `${url}/status`, cancel_url: `${url}/cancel` };
};

/** Body of a status response. */
export interface RequestStatus extends RequestUrls {
  readonly status: (typeof wireStates)[RequestState];
  readonly request_id: string;
  readonly queue_position?: number;
  /** `null` if not requested. */
  readonly logs: WireLine[] | null;
  /** Position of the last line; `?after=` returns those after it. */
  readonly logs_cursor?: string;
  /** Percentage of an import or export that is done. */
  readonly progress?: number;
  /** Durations in seconds. */
  readonly metrics?: { readonly inference_time: number | null };
  readonly error?: string;
  readonly error_type?: string;
  readonly expires_at?: string | null;
}

interface WireLine {
  readonly message: string;
  readonly level: LogLevel;
  readonly source: 'USER';
  readonly timestamp: string;
}

export interface StatusOptions {
  readonly database: Statements;
  readonly settings: QueueSettings;
  /** Position after which log lines are returned; `null` if they are not requested. */
  readonly after: LogCursor | null;
}

/** Reads the status. Log lines come only with `after`, those behind that position. */
export const readStatus = async (
  request: RequestHead,
  { database, settings, after }: StatusOptions,
): Promise<RequestStatus> => {
  const lines = after === null ? null : await readLogs(database, [{ request: request.id, after }]);
  const progress = await progressOf([request], database);
  const position = request.state === 'waiting' ? await countAhead(database, request) : 0;
  return statusBody(request, {
    position,
    progress: progress.get(request.id) ?? null,
    lines,
    cursor: lines?.at(-1) ?? after,
    settings,
  });
};

/** Returns the progress in per cent of those requests that have one, by id. */
export const progressOf = async (
  requests: readonly RequestHead[],
  database: Statements,
): Promise<ReadonlyMap<string, number>> => {
  const ids = requests.filter(({ model }) => isBuiltIn(model)).map(({ id }) => id);
  return ids.length === 0 ? new Map() : readProgress(database, ids);
};

export interface StatusBodyOptions {
  readonly position: number;
  /** Percentage; `null` where the model has no progress. */
  readonly progress: number | null;
  /** `null` if not requested. */
  readonly lines: readonly LogLine[] | null;
  /** Position of the last line; `null` if not requested. */
  readonly cursor: LogCursor | null;
  readonly settings: QueueSettings;
}

/** Builds the body from what was read before; members that do not apply to the state are left out. */
export const statusBody = (
  request: RequestHead,
  { position, progress, lines, cursor, settings }: StatusBodyOptions,
): RequestStatus => ({
  status: wireStates[request.state],
  request_id: request.id,
  ...requestUrls(request, settings),
  ...(request.state === 'waiting' || request.state === 'admitted' ? { queue_position: position } : {}),
  ...(progress !== null && { progress }),
  logs: lines?.map(toWireLine) ?? null,
  ...(cursor !== null && cursor.seq > logStart.seq && { logs_cursor: formatCursor(cursor) }),
  ...(request.state === 'ended' ? endOf(request, settings) : {}),
});

/** Public names of the states; an admitted request is still queued until a worker starts it. */
export const wireStates = {
  waiting: 'IN_QUEUE',
  admitted: 'IN_QUEUE',
  running: 'IN_PROGRESS',
  ended: 'COMPLETED',
} as const satisfies Readonly<Record<RequestState, string>>;

const endOf = ({ begun, ended, httpStatus, errorType }: RequestHead, { resultTtl }: QueueSettings) => {
  const error = httpStatus === null ? null : errorText(httpStatus);
  return {
    metrics: { inference_time: begun === null || ended === null ? null : (ended - begun) / 1000 },
    ...(error === null ? {} : { error }),
    ...(errorType === null ? {} : { error_type: errorType }),
    expires_at: ended === null ? null : new Date(ended + resultTtl).toISOString(),
  };
};

const toWireLine = ({ message, level, time }: LogLine): WireLine => ({
  message,
  level,
  source: 'USER',
  timestamp: new Date(time).toISOString(),
});
