/** What a request's state looks like on the wire. */
import { errorText, isSuccess } from './outcome.js';
import type { QueueSettings } from './settings.js';
import { readLogs, type StoredLine } from './store/logs.js';
import { countBefore, type RequestHead } from './store/requests.js';
import type { Statements } from './store/rows.js';

export interface RequestUrls {
  readonly response_url: string;
  readonly status_url: string;
  readonly cancel_url: string;
}

export const requestUrls = (
  { id, model }: Pick<RequestHead, 'id' | 'model'>,
  { queueUrl }: Pick<QueueSettings, 'queueUrl'>,
): RequestUrls => {
  const url = `${queueUrl()}/${model}/requests/${id}`;
  return { response_url: url, status_url: `${url}/status`, cancel_url: `${url}/cancel` };
};

export interface StatusOptions {
  readonly database: Statements;
  readonly settings: QueueSettings;
  readonly logs: boolean;
}

export const readStatus = async (
  request: RequestHead,
  { database, settings, logs }: StatusOptions,
): Promise<Readonly<Record<string, unknown>>> => {
  const lines = logs ? await readLogs(database, [request.id]) : null;
  const position = request.state === 'waiting' ? await countBefore(database, request) : 0;
  return statusBody(request, { position, lines, settings });
};

export interface StatusParts {
  readonly position: number;
  /** `null`: not asked for. */
  readonly lines: readonly StoredLine[] | null;
  readonly settings: QueueSettings;
}

export const statusBody = (
  request: RequestHead,
  { position, lines, settings }: StatusParts,
): Readonly<Record<string, unknown>> => ({
  status: wireStates[request.state],
  request_id: request.id,
  ...requestUrls(request, settings),
  ...(request.state === 'waiting' || request.state === 'admitted' ? { queue_position: position } : {}),
  logs: lines?.map(toWireLine) ?? null,
  ...(request.state === 'ended' ? endOf(request, settings) : {}),
});

/** A slot is no news to the caller: it begins with the worker. */
export const wireStates = {
  waiting: 'IN_QUEUE',
  admitted: 'IN_QUEUE',
  running: 'IN_PROGRESS',
  ended: 'COMPLETED',
} as const satisfies Readonly<Record<RequestHead['state'], string>>;

const endOf = ({ begun, ended, httpStatus, errorType }: RequestHead, { resultTtl }: QueueSettings) => ({
  metrics: { inference_time: begun === null || ended === null ? null : (ended - begun) / 1000 },
  ...(httpStatus !== null && !isSuccess(httpStatus) ? { error: errorText(httpStatus) } : {}),
  ...(errorType === null ? {} : { error_type: errorType }),
  expires_at: ended === null ? null : new Date(ended + resultTtl).toISOString(),
});

const toWireLine = ({ message, level, time }: StoredLine) => ({
  message,
  level,
  source: 'USER',
  timestamp: new Date(time).toISOString(),
});
