/** Stores requests (`svc_requests`), one row each, from submission to end. */
import { findRow, findRows, insertRows, updateRows, type Statements } from '../../execute/system-rows.js';
import { headColumns, toHead, type NewRequest, type RequestHead, type RequestState } from './request-head.js';

/** Inserts waiting requests. */
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
      stored_bytes: request.input.length,
      store_io: Number(request.storeIo),
      files_ttl: request.filesTtl,
      traceparent: request.traceparent,
      date_created: request.created,
      start_before: request.startBefore,
    })),
  );

/** Returns a request without its payloads, whoever owns it, or null. */
export const findRequest = async (statements: Statements, id: string): Promise<RequestHead | null> => {
  const row = await findRow(statements, 'svc_requests', { where: { id }, columns: headColumns });
  return row === undefined ? null : toHead(row);
};

/** Returns those that exist, in any order, whoever owns them. */
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
  const { affected } = await statements.write({
    text:
      "update svc_requests set state = 'ended', http_status = ?, error_type = ?, headers = ?, output = ?, " +
      `stored_bytes = coalesce(length(input), 0) + ?, date_ended = ? where id = ? and state ${from === undefined ? '<>' : '='} ?`,
    values: [httpStatus, errorType, headersToJson(headers), output, output.length, now, id, from ?? 'ended'],
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

/** Returns a request that has ended to the queue, for another round. @returns false if it has not, or its input is gone */
export const reopenRequest = async (
  statements: Statements,
  { id, round }: Pick<RequestHead, 'id' | 'round'>,
): Promise<boolean> => {
  const { affected } = await statements.write({
    text:
      "update svc_requests set state = 'waiting', round = round + 1, started = 0, http_status = null, " +
      'error_type = null, headers = null, output = null, stored_bytes = length(input), date_admitted = null, date_ended = null, ' +
      "start_before = null where id = ? and round = ? and state = 'ended' and input is not null",
    values: [id, round],
  });
  return affected > 0;
};

/** Gives a waiting request a slot. @returns false if it does not wait any more */
export const admitRequest = async (statements: Statements, id: string, now: number): Promise<boolean> => {
  const set = { state: 'admitted', started: 0, date_admitted: now };
  return (await updateRows(statements, 'svc_requests', { set, where: { id, state: 'waiting' } })) > 0;
};
