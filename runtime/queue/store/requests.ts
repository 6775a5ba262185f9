/** Stores requests (`svc_requests`), one row each, from submission to end. */
import {
  findRow,
  findRows,
  insertRows,
  listPlaceholders,
  updateRows,
  type Statements,
  type SystemRow,
} from '../../execute/system-rows.js';

/** `waiting` for a slot, `admitted` to a slot, `running` in a worker, or `ended`. */
export type RequestState = 'waiting' | 'admitted' | 'running' | 'ended';

export interface NewRequest {
  readonly id: string;
  readonly account: string;
  readonly model: string;
  /** 0 is normal; lower values run later. */
  readonly priority: number;
  /** Whether attempts that fail for reasons of the platform are retried. */
  readonly retry: boolean;
  /** JSON. */
  readonly input: string;
  readonly webhook: string | null;
  /** JSON. */
  readonly tags: string | null;
  /** Whether the input and the result are kept after delivery. */
  readonly storeIo: boolean;
  /** Seconds that result files can be downloaded; `null` for the retention of the server. */
  readonly filesTtl: number | null;
  readonly created: number;
  readonly startBefore: number | null;
}

/** A request without its payloads; all times are Unix times in milliseconds. */
export interface RequestHead {
  readonly id: string;
  readonly account: string;
  readonly model: string;
  readonly state: RequestState;
  readonly priority: number;
  readonly attempts: number;
  readonly retry: boolean;
  readonly httpStatus: number | null;
  readonly errorType: string | null;
  readonly webhook: string | null;
  readonly tags: string | null;
  readonly storeIo: boolean;
  readonly filesTtl: number | null;
  readonly created: number;
  readonly begun: number | null;
  readonly ended: number | null;
  readonly startBefore: number | null;
}

const headColumns = [
  'id',
  'account',
  'model',
  'state',
  'priority',
  'attempts',
  'retry',
  'http_status',
  'error_type',
  'webhook',
  'tags',
  'store_io',
  'files_ttl',
  'date_created',
  'date_begun',
  'date_ended',
  'start_before',
] as const;

const toHead = (row: Pick<SystemRow<'svc_requests'>, (typeof headColumns)[number]>): RequestHead => ({
  id: row.id,
  account: row.account,
  model: row.model,
  state: row.state as RequestState,
  priority: row.priority,
  attempts: row.attempts,
  retry: row.retry === 1,
  httpStatus: row.http_status,
  errorType: row.error_type,
  webhook: row.webhook,
  tags: row.tags,
  storeIo: row.store_io === 1,
  filesTtl: row.files_ttl,
  created: row.date_created,
  begun: row.date_begun,
  ended: row.date_ended,
  startBefore: row.start_before,
});

/** Returns the head of a newly stored request. */
export const toNewHead = (request: NewRequest, state: 'waiting' | 'admitted'): RequestHead => ({
  id: request.id,
  account: request.account,
  model: request.model,
  state,
  priority: request.priority,
  attempts: 0,
  retry: request.retry,
  httpStatus: null,
  errorType: null,
  webhook: request.webhook,
  tags: request.tags,
  storeIo: request.storeIo,
  filesTtl: request.filesTtl,
  created: request.created,
  begun: null,
  ended: null,
  startBefore: request.startBefore,
});

export const insertRequests = (statements: Statements, requests: readonly NewRequest[]): Promise<void> =>
  insertRows(
    statements,
    'svc_requests',
    requests.map((request) => ({
      id: request.id,
      account: request.account,
      model: request.model,
      state: 'waiting' satisfies RequestState,
      priority: request.priority,
      retry: Number(request.retry),
      input: request.input,
      webhook: request.webhook,
      tags: request.tags,
      store_io: Number(request.storeIo),
      files_ttl: request.filesTtl,
      date_created: request.created,
      start_before: request.startBefore,
    })),
  );

export const findRequest = async (statements: Statements, id: string): Promise<RequestHead | null> => {
  const row = await findRow(statements, 'svc_requests', { where: { id }, columns: headColumns });
  return row === undefined ? null : toHead(row);
};

export const findRequests = async (
  statements: Statements,
  ids: readonly string[],
): Promise<readonly RequestHead[]> => {
  const rows = await findRows(statements, 'svc_requests', { where: { id: ids }, columns: headColumns });
  return rows.map(toHead);
};

/** Returns the output as JSON, or null if there is none or it has expired, and the response headers of the model. */
export const readOutput = async (
  statements: Statements,
  id: string,
): Promise<{ readonly output: string | null; readonly headers: StoredOutcome['headers'] }> => {
  const row = await findRow(statements, 'svc_requests', { where: { id }, columns: ['output', 'headers'] });
  return {
    output: row?.output ?? null,
    headers: JSON.parse(row?.headers ?? '{}') as StoredOutcome['headers'],
  };
};

/** Returns a request with its input as JSON, or null if it does not exist; the input is null once it has expired. */
export const findRequestWithInput = async (
  statements: Statements,
  id: string,
): Promise<{ readonly request: RequestHead; readonly input: string | null } | null> => {
  const columns = [...headColumns, 'input'] as const;
  const row = await findRow(statements, 'svc_requests', { where: { id }, columns });
  return row === undefined ? null : { request: toHead(row), input: row.input };
};

/** Returns the input and the output as JSON; each is null if it does not exist or has expired. */
export const readPayloads = async (
  statements: Statements,
  id: string,
): Promise<{ readonly input: string | null; readonly output: string | null }> =>
  (await findRow(statements, 'svc_requests', { where: { id }, columns: ['input', 'output'] })) ?? {
    input: null,
    output: null,
  };

/** Counts the waiting requests ahead of a request. */
export const countAhead = async (
  statements: Statements,
  { id, model, priority, created }: Pick<RequestHead, 'id' | 'model' | 'priority' | 'created'>,
): Promise<number> => {
  const [row] = await statements.query(
    "select count(*) as before_it from svc_requests where state = 'waiting' and model = ? and " +
      '(priority > ? or (priority = ? and (date_created < ? or (date_created = ? and id < ?))))',
    [model, priority, priority, created, created, id],
  );
  return Number(row?.before_it ?? 0);
};

/** Counts the waiting requests of a model by priority. */
export const countWaitingByPriority = async (
  statements: Statements,
  model: string,
): Promise<Map<number, number>> => {
  const rows = await statements.query(
    "select priority, count(*) as waiting from svc_requests where state = 'waiting' and model = ? group by priority",
    [model],
  );
  return new Map(rows.map((row) => [Number(row.priority), Number(row.waiting)]));
};

export const countWaiting = async (statements: Statements, model: string): Promise<number> => {
  const [row] = await statements.query(
    "select count(*) as waiting from svc_requests where state = 'waiting' and model = ?",
    [model],
  );
  return Number(row?.waiting ?? 0);
};

/** Marks a request as running and counts the attempt. @returns false if it has already ended */
export const startAttempt = async (statements: Statements, id: string, now: number): Promise<boolean> => {
  const { affected } = await statements.write({
    text:
      "update svc_requests set state = 'running', attempts = attempts + 1, started = 1, date_begun = ? " +
      "where id = ? and state <> 'ended'",
    values: [now, id],
  });
  return affected > 0;
};

/** Returns a running request to `admitted` after a failed attempt; it keeps its slot for the next one. */
export const failAttempt = async (statements: Statements, id: string): Promise<void> => {
  await updateRows(statements, 'svc_requests', {
    set: { state: 'admitted' },
    where: { id, state: 'running' },
  });
};

export interface StoredOutcome {
  readonly httpStatus: number;
  readonly errorType: string | null;
  /** Response headers of the model. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly output: string;
}

/** Ends a request unless it has ended or is not in the state `from`. @returns whether this call ended it */
export const endRequest = async (
  statements: Statements,
  id: string,
  { httpStatus, errorType, headers, output }: StoredOutcome,
  { now, from }: { readonly now: number; readonly from?: RequestState },
): Promise<boolean> => {
  const affected = await updateRows(statements, 'svc_requests', {
    set: {
      state: 'ended',
      http_status: httpStatus,
      error_type: errorType,
      headers: headersToJson(headers),
      output,
      date_ended: now,
    },
    where: { id, state: from ?? { not: 'ended' } },
  });
  return affected > 0;
};

const headersToJson = (headers: StoredOutcome['headers']): string | null =>
  Object.keys(headers).length === 0 ? null : JSON.stringify(headers);

/** Marks that the workflows of requests know this state; requests in another state are skipped. @returns the number marked */
export const markStarted = (
  statements: Statements,
  ids: readonly string[],
  state: RequestState,
): Promise<number> =>
  updateRows(statements, 'svc_requests', { set: { started: 1 }, where: { state, id: ids } });

export interface UnstartedOptions {
  readonly state: 'waiting' | 'admitted';
  /** Unix time in milliseconds before which the request was created. */
  readonly before: number;
  readonly limit: number;
}

/** Returns requests whose workflow may not exist or may not know of the slot, oldest first. */
export const findUnstarted = async (
  statements: Statements,
  { state, before, limit }: UnstartedOptions,
): Promise<readonly RequestHead[]> => {
  const rows = await findRows(statements, 'svc_requests', {
    where: { state, started: 0, date_created: { below: before } },
    columns: headColumns,
    order: ['date_created'],
    limit,
  });
  return rows.map(toHead);
};

/** Returns requests admitted before a time, ordered by id and with ids above `after`; their workflows must exist. */
export const findSlotHolders = async (
  statements: Statements,
  { before, after, limit }: { readonly before: number; readonly after: string; readonly limit: number },
): Promise<readonly RequestHead[]> => {
  const rows = await findRows(statements, 'svc_requests', {
    where: { state: ['admitted', 'running'], date_admitted: { below: before }, id: { above: after } },
    columns: headColumns,
    order: ['id'],
    limit,
  });
  return rows.map(toHead);
};

export interface ListFilter {
  readonly account: string;
  readonly model?: string;
  readonly states?: readonly RequestState[];
  readonly tag?: { readonly key: string; readonly value: string };
  /** Bounds of the creation time, exclusive, as Unix times in milliseconds. */
  readonly after?: number;
  readonly before?: number;
  readonly limit: number;
}

/** Returns the requests of an account that match a filter, newest first. */
export const listRequests = async (
  statements: Statements,
  { account, model, states, tag, after, before, limit }: ListFilter,
): Promise<readonly RequestHead[]> => {
  const conditions = ['account = ?'];
  const values: (string | number)[] = [account];
  if (model !== undefined) {
    conditions.push('model = ?');
    values.push(model);
  }
  if (states !== undefined) {
    const list = listPlaceholders(states);
    conditions.push(`state in (${list.places})`);
    values.push(...list.values);
  }
  if (tag !== undefined) {
    // searches the stored JSON, in which quotes are escaped; `replace` compares alike on every database, LIKE does not
    conditions.push("replace(tags, ?, '') <> tags");
    values.push(JSON.stringify({ [tag.key]: tag.value }).slice(1, -1));
  }
  if (after !== undefined) {
    conditions.push('date_created > ?');
    values.push(after);
  }
  if (before !== undefined) {
    conditions.push('date_created < ?');
    values.push(before);
  }
  const rows = await statements.query(
    `select ${headColumns.join(', ')} from svc_requests where ${conditions.join(' and ')} ` +
      `order by date_created desc, id desc limit ${limit}`,
    values,
  );
  return (rows as unknown as Parameters<typeof toHead>[0][]).map(toHead);
};
