/** Imports and exports of items: requests of the queue that belong to the caller, and lists that are downloaded at once. */
import { toApiError } from './errors.js';
import { toBody, toParameters, toWrite, type AnyQuery } from './parameters.js';
import { createQueue, headersOf, queryOf, type SubmitOptions } from './queue.js';
import type { QueuedRequest, QueueStatus } from './queue-status.js';
import { authorize, type CallOptions, type ClientOptions } from './transport.js';

/** Formats of files that are imported. */
export type ImportFormat = 'csv' | 'json' | 'ndjson';

/** Formats of files that are exported. */
export type ExportFormat = 'csv' | 'csv_utf8' | 'json' | 'ndjson' | 'xml' | 'yaml';

/** Content of a file: text, or bytes with or without a type. */
export type FileContent = string | Blob | Uint8Array<ArrayBuffer>;

/** Options of an import. */
export interface ImportOptions extends SubmitOptions {
  /** Format of the file; by default that of the type of a `Blob`. */
  readonly format?: ImportFormat | undefined;
  /** Fields of columns by their names; `null` leaves a column out. */
  readonly mapping?: Readonly<Record<string, string | null>> | undefined;
  /** Separates the cells of CSV; a comma by default. */
  readonly delimiter?: ',' | ';' | '|' | '\t' | undefined;
  /** `report` leaves out rows that cannot be stored; by default, the first of them ends the import. */
  readonly onError?: 'stop' | 'report' | undefined;
  /** Changes or ignores items that are stored already. */
  readonly onConflict?: 'update' | 'ignore' | undefined;
  /** Fields of a unique constraint, or its name, by which stored items are found; the key by default. */
  readonly conflict?: readonly string[] | undefined;
  /** Checks the rows under all rules and stores nothing. */
  readonly dryRun?: boolean | undefined;
}

/** A file of a result. */
export interface StoredFile {
  readonly url: string;
  readonly content_type: string;
  readonly file_name: string;
  /** Bytes. */
  readonly file_size: number;
}

/** Result of an import. */
export interface ImportResult {
  /** Rows that are stored: none in a dry run. */
  readonly imported: number;
  /** Rows that a dry run would have stored. */
  readonly rows?: number;
  readonly rejected: number;
  /** CSV with row, line, column, code and error of each row that was left out; null where there is none. */
  readonly rejected_rows: StoredFile | null;
}

/** Result of an export. */
export interface ExportResult {
  readonly rows: number;
  readonly file: StoredFile;
}

/** An import or export in the queue. */
export interface Transfer<Result> {
  readonly requestId: string;
  /** Returns the status. @throws QueueError */
  status(options?: CallOptions): Promise<QueueStatus>;
  /** Yields the status and every change of it until the end. @throws QueueError */
  stream(options?: CallOptions): AsyncIterable<QueueStatus>;
  /** Waits for the end and returns the result. @throws QueueError where there is none */
  wait(options?: CallOptions): Promise<Result>;
  /** Stops it; chunks that are stored stay. @throws QueueError with status 400 when it has already ended */
  cancel(options?: CallOptions): Promise<'OK' | 'CANCELLATION_REQUESTED'>;
}

/** Creates imports, exports and downloads of the items at `path`, such as `/items/Genre`. */
export const createTransfers = (client: ClientOptions, path: string) => {
  const send = createSend(client, path);
  const follow = createFollow(client);
  return {
    import: async (file: FileContent, options: ImportOptions = {}) => {
      const type = options.format === undefined ? typeOf(file) : contentTypes[options.format];
      const headers = { ...headersOf(options), 'content-type': type };
      const answer = await send(`/import${importQuery(options)}`, {
        headers,
        body: file,
        signal: options.signal,
      });
      return follow('svc/import', (await answer.json()) as QueuedRequest);
    },

    export: async (format: ExportFormat, query: AnyQuery = {}, options: SubmitOptions = {}) => {
      const headers = { ...headersOf(options), 'content-type': 'application/json' };
      const body = JSON.stringify({ format, query: toBody(query) });
      const answer = await send(`/export${queryOf(options)}`, { headers, body, signal: options.signal });
      return follow('svc/export', (await answer.json()) as QueuedRequest);
    },

    download: async (format: ExportFormat, query: AnyQuery = {}, { signal }: CallOptions = {}) => {
      const parameters = new URLSearchParams({ ...toParameters(query), export: format });
      const answer = await send(`?${parameters.toString()}`, { signal });
      return answer.body as ReadableStream<Uint8Array<ArrayBuffer>>;
    },
  };
};

const contentTypes = { csv: 'text/csv', json: 'application/json', ndjson: 'application/x-ndjson' } as const;

const typeOf = (file: FileContent): string =>
  file instanceof Blob && file.type !== '' ? file.type : 'text/csv';

const importQuery = (options: ImportOptions): string => {
  const { format, mapping, delimiter, onError, onConflict, conflict, dryRun } = options;
  const own = new URLSearchParams({
    ...(format !== undefined && { format }),
    ...(mapping !== undefined && { mapping: JSON.stringify(mapping) }),
    ...(delimiter !== undefined && { delimiter }),
    ...(onError !== undefined && { on_error: onError }),
    ...toWrite({ onConflict, conflict, dryRun }).query,
  });
  const shared = queryOf(options).slice(1);
  const all = [own.toString(), shared].filter((text) => text !== '').join('&');
  return all === '' ? '' : `?${all}`;
};

interface Sent extends CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with POST. */
  readonly body?: FileContent;
}

const createSend = ({ url, token, fetch = globalThis.fetch }: ClientOptions, path: string) => {
  const base = url.replace(/\/+$/, '') + path;
  return async (rest: string, { headers, body, signal }: Sent): Promise<Response> => {
    const response = await fetch(base + rest, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...(await authorize(token)), ...headers },
      body: body ?? null,
      signal: signal ?? null,
    });
    if (!response.ok) throw toApiError(response.status, await response.json().catch(() => undefined));
    return response;
  };
};

/** Requests of users are followed with their token: a queue key does not have their rights. */
const createFollow = ({ url, token, fetch }: ClientOptions) => {
  const queue = createQueue({ url, token, fetch });
  return (model: string, { request_id: requestId }: QueuedRequest): Transfer<unknown> => ({
    requestId,
    status: (options) => queue.status(model, requestId, options),
    stream: (options) => queue.stream(model, requestId, options),
    cancel: (options) => queue.cancel(model, requestId, options),
    wait: (options) => queue.untilEnded(model, requestId, options),
  });
};
