/** Runs an import: reads its file from where an earlier run ended, and stores the rows chunk by chunk. */
import { ApiError } from '../../contract/errors.js';
import { readAhead } from '../concurrency/read-ahead.js';
import { final, type RunContext, type RunResult } from '../queue/models/attempt.js';
import { storeTransfer, takeTransfer, type TransferState } from '../queue/store/transfers.js';
import { hasSource, sourceName } from './files.js';
import { importChunk, RowRejected, type ImportJob } from './import-chunk.js';
import type { ImportInput } from './input.js';
import { joinReports, type RowProblem } from './rejected-rows.js';
import type { RunOptions, SaveState, TransferContext } from './run-context.js';
import { SourceError, type OpenSource, type SourceRow } from './source/row.js';
import { readRows } from './source/rows.js';
import { RightsLost } from './submitter.js';

/** Maximum rows of a chunk. A chunk also ends once it covers `maxBytes` of the file. */
const maxRows = 1_000;
const maxBytes = 1024 ** 2;

/** Runs an attempt of an import. @throws errors that a retry may resolve, such as a lost connection */
export const runImport = async (context: RunContext, options: RunOptions): Promise<RunResult> => {
  const input = context.input as ImportInput;
  const { requestId: request, account } = context;
  const collection = options.items.registry.collections.get(input.collection);
  if (collection === undefined) return refuseAtOnce(403, `there is no collection "${input.collection}"`);
  if (!(await hasSource(options.files, request))) return refuseAtOnce(410, 'the file of the import is gone');
  const transfer = { request, run: options.run };
  const state = await takeTransfer(options.items.database, transfer);
  const saveState: SaveState = (executor, next) => storeTransfer(executor, transfer, next);
  return importFile({ ...options, request, account, input, collection, state, saveState }, context);
};

/** Stores the rows of a file, from where `state` says. @throws errors that a retry may resolve, such as a lost connection */
export const importFile = async (job: ImportJob, context: TransferContext): Promise<RunResult> => {
  try {
    await importRows(job, context);
    return final({ status: 200, body: await summarize(job, context), errorType: null });
  } catch (error) {
    return refuse(error, job, context);
  }
};

const importRows = async (job: ImportJob, { signal, progress }: TransferContext): Promise<void> => {
  for await (const rows of readAhead(inChunks(openRows(job), job.state))) {
    signal.throwIfAborted();
    await importChunk(rows, job);
    const { position, done, rejected, progress: percent } = job.state;
    progress({ percent, done, rejected, position });
  }
};

const openRows = ({ input, collection, state, files, request }: ImportJob): AsyncIterable<SourceRow> => {
  const open: OpenSource = async (start) => {
    const file = await files.read(request, sourceName, start);
    if (file === null) throw new Error('the file of the import is gone');
    return file.stream;
  };
  return readRows(open, state, { ...input, collection });
};

async function* inChunks(
  rows: AsyncIterable<SourceRow>,
  { position }: TransferState,
): AsyncGenerator<readonly SourceRow[], void, void> {
  let chunk: SourceRow[] = [];
  let start = position;
  let failure: SourceError | null = null;
  try {
    for await (const row of rows) {
      chunk.push(row);
      if (chunk.length < maxRows && row.end.position - start < maxBytes) continue;
      yield chunk;
      start = row.end.position;
      chunk = [];
    }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    failure = error;
  }
  // the rows before a fault of the file are stored
  if (chunk.length > 0) yield chunk;
  if (failure !== null) throw failure;
}

/** Returns what an import has done so far, with the file of the rows that it left out. */
const summarize = async (
  { state, input, files, request }: ImportJob,
  run: TransferContext,
): Promise<Readonly<Record<string, unknown>>> => {
  const { done, rejected, reports } = state;
  const counts = input.dry_run ? { dry_run: true, rows: done } : {};
  const common = { imported: input.dry_run ? 0 : done, rejected, ...counts };
  if (rejected === 0) return { ...common, rejected_rows: null };
  return { ...common, rejected_rows: await joinReports({ request, reports }, { files, run }) };
};

/** Ends an import whose rows, file or submitter are at fault. @throws other errors */
const refuse = async (error: unknown, job: ImportJob, run: TransferContext): Promise<RunResult> => {
  const rejection = toRejection(error);
  if (rejection === null) throw error;
  const { status, line, problems } = rejection;
  const detail = problems.map(({ column, code, message }) => ({
    loc: ['file', ...(line === null ? [] : [String(line)]), ...(column === null ? [] : [column])],
    msg: message,
    type: code,
  }));
  return final({ status, body: { detail, ...(await summarize(job, run)) }, errorType: null });
};

interface ImportRejection {
  readonly status: number;
  /** Line of the file; null where the error is not about one. */
  readonly line: number | null;
  readonly problems: readonly RowProblem[];
}

const toRejection = (error: unknown): ImportRejection | null => {
  if (error instanceof RowRejected) return error;
  if (error instanceof SourceError) {
    const { line, message } = error;
    return { status: 400, line, problems: [{ column: null, code: 'INVALID_PAYLOAD', message }] };
  }
  const cause = error instanceof RightsLost ? error.cause : error;
  if (!(cause instanceof ApiError) || cause.status >= 500) return null;
  const { code, message } = cause;
  if (code === 'INVALID_QUERY')
    return { status: 400, line: null, problems: [{ column: null, code, message }] };
  // a user who is gone or suspended has no rights, whatever the reason
  const problem = { column: null, code: 'FORBIDDEN', message };
  return { status: 403, line: null, problems: [problem] };
};

/** Ends an import that cannot begin. */
const refuseAtOnce = (status: number, detail: string): RunResult =>
  final({ status, body: { detail }, errorType: null });
