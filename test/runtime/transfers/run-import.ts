/** Runs an import or export as a worker does. */
import { loadConfig } from '../../../runtime/config/config.js';
import type { CollectionDeclaration } from '../../../contract/collection.js';
import type { Database } from '../../../runtime/databases/contract.js';
import type { BuiltInModelId } from '../../../runtime/queue/models/built-in.js';
import type { RunResult } from '../../../runtime/queue/models/attempt.js';
import { createDirectoryStore } from '../../../runtime/queue/requests/files.js';
import { createRunFiles } from '../../../runtime/queue/requests/run-files.js';
import { findRequestWithInput } from '../../../runtime/queue/store/requests.js';
import { startAttempt } from '../../../runtime/queue/store/attempts.js';
import { createWorkerTransfers } from '../../../runtime/transfer-services.js';

export interface RunImportOptions {
  readonly database: Database;
  readonly declarations: readonly CollectionDeclaration[];
  readonly files: string;
  readonly request: string;
  /** Receives how far the import is after each chunk. */
  readonly progress?: (state: unknown) => void;
  /** Runs after the request has begun, before its first row. */
  readonly whenRunning?: () => Promise<void>;
  readonly onFailure?: (error: unknown) => void;
  /** Aborted where the worker stops. */
  readonly signal?: AbortSignal;
}

/** Returns a database that calls back for each page or chunk of an export that it has read, before it returns it. */
export const watchPages = (database: Database, onPage: () => Promise<void>): Database => ({
  ...database,
  readUntil(signal) {
    const reader = database.readUntil(signal);
    return {
      ...reader,
      async rows(statement, layout) {
        const page = await reader.rows(statement, layout);
        if (page.count >= 1_000) await onPage();
        return page;
      },
      rowsInChunks: (statement, layout, take) =>
        reader.rowsInChunks(statement, layout, async (chunk) => {
          await onPage();
          await take(chunk);
        }),
    };
  },
});

const settings = { publicUrl: () => '', secrets: [Buffer.from('secret')], fileTtl: 60_000 };

export const runImport = async (options: RunImportOptions): Promise<RunResult> => {
  const { database, declarations, files, request: requestId, progress = () => undefined } = options;
  const config = loadConfig({ DATABASE_URL: 'sqlite:unused', QUEUE_FILES_DIR: files, ACCESS_LEASE: '0' });
  const found = await findRequestWithInput(database, requestId);
  if (found === null) throw new Error(`there is no request ${requestId}`);
  const { attempts, account } = found.request;
  await startAttempt(database, { request: requestId, attempts, worker: 'test', now: Date.now() });
  await options.whenRunning?.();
  const run = await createWorkerTransfers({ config, database, declarations, observe: () => undefined });
  return run(found.request.model as BuiltInModelId, {
    requestId,
    account,
    input: JSON.parse(found.input ?? 'null'),
    resumed: undefined,
    traceparent: null,
    attempt: 1,
    log: () => undefined,
    skip: () => undefined,
    progress,
    files: createRunFiles(requestId, { files: createDirectoryStore(files), settings, ttl: null }),
    onMemory: () => undefined,
    signal: options.signal ?? new AbortController().signal,
    onFailure: options.onFailure ?? (() => undefined),
  });
};
