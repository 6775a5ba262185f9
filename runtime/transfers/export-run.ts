/** Runs an export: writes a list into a file, from its start each time that it is run. */
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError, ApiErrors } from '../../contract/errors.js';
import type { Collection } from '../../contract/collection.js';
import { untilConfirmed } from '../access/confirmation.js';
import { exportList, type ExportContext } from '../items/export.js';
import { readList } from '../items/read.js';
import { final, type RunContext, type RunResult } from '../queue/models/attempt.js';
import { storeTransfer, takeTransfer } from '../queue/store/transfers.js';
import { createId } from '../queue/store/ids.js';
import { readQuery } from '../request/query.js';
import { formats } from '../response/export/formats.js';
import type { ExportInput } from './input.js';
import { Superseded, type RunOptions, type SaveState, type TransferContext } from './run-context.js';
import { runAsSubmitter, RightsLost } from './submitter.js';

export interface ExportJob extends Omit<RunOptions, 'run'> {
  readonly input: ExportInput;
  readonly account: string;
  readonly collection: Collection;
  readonly context: TransferContext;
  readonly saveState: SaveState;
}

/** Runs the request of an export. @throws errors that a retry may resolve, such as a lost connection */
export const runExport = async (context: RunContext, options: RunOptions): Promise<RunResult> => {
  const input = context.input as ExportInput;
  const collection = options.items.registry.collections.get(input.collection);
  if (collection === undefined)
    return final({
      status: 403,
      body: { detail: `there is no collection "${input.collection}"` },
      errorType: null,
    });
  const transfer = { request: context.requestId, run: options.run };
  await takeTransfer(options.items.database, transfer);
  const saveState: SaveState = (executor, state) => storeTransfer(executor, transfer, state);
  return exportFile({ ...options, input, account: context.account, collection, context, saveState });
};

/** Writes a list into a file. @throws errors that a retry may resolve, such as a lost connection */
export const exportFile = async (job: ExportJob): Promise<RunResult> => {
  const submitter = { account: job.account, address: job.input.address };
  try {
    const body = await untilConfirmed(() =>
      runAsSubmitter(submitter, job, (items) => {
        const executor = items.database.readUntil(job.context.signal);
        return write(job, { ...items, executor });
      }),
    );
    return final({ status: 200, body, errorType: null });
  } catch (error) {
    return refuse(error);
  }
};

/** Writes the file. @returns null where the rights of the submitter have changed meanwhile */
const write = async (job: ExportJob, items: ExportContext): Promise<object | null> => {
  const { input, collection, files, context } = job;
  const total = await count(job, items);
  let rows = 0;
  let stored = Date.now();
  const onRows = (more: number): void => {
    rows += more;
  };
  const target = { collection, parsed: readQuery({ limit: -1, ...input.query }) };
  const { body } = await exportList(target, input.format, { ...items, onRows });
  const spooled = createId();
  const path = join(files.spool, spooled);
  await mkdir(files.spool, { recursive: true });
  const parts = body instanceof Readable ? body : Readable.from([body ?? '']);
  // present before it may have to be removed
  const file = await open(path, 'wx');
  let isConfirmed = true;
  try {
    await pipeline(
      parts,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          context.signal.throwIfAborted();
          isConfirmed = await items.confirm(items.principal);
          if (!isConfirmed) return;
          if (Date.now() - stored > progressInterval) {
            await storeProgress(rows, total, job);
            stored = Date.now();
          }
          yield chunk;
        }
      },
      file.createWriteStream(),
    );
    if (!isConfirmed) return null;
    await storeProgress(rows, rows, job);
    const { contentType, extension } = formats[input.format];
    const name = `${collection.name.replaceAll(/[^\w]/g, '_')}.${extension}`;
    return { rows, file: await context.files.adopt({ name, contentType, spooled }) };
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
};

/** Milliseconds between updates of the progress. */
const progressInterval = 1_000;

const storeProgress = async (
  rows: number,
  total: number | null,
  { context, items, saveState }: ExportJob,
): Promise<void> => {
  const percent = total === null ? 0 : Math.min(100, Math.floor((100 * rows) / Math.max(1, total)));
  context.progress({ percent, rows });
  const state = { position: 0, line: 0, done: rows, rejected: 0, reports: 0, progress: percent };
  if (!(await saveState(items.database, state))) throw new Superseded();
};

/** Counts the rows of an export; null for aggregations. */
const count = async ({ input, collection }: ExportJob, items: ExportContext): Promise<number | null> => {
  const { filter, search, limit, aggregate, groupBy } = input.query;
  if (aggregate !== undefined || groupBy !== undefined) return null;
  const conditions = { ...(filter !== undefined && { filter }), ...(search !== undefined && { search }) };
  const parsed = readQuery({ ...conditions, limit: 0, meta: ['filter_count'] });
  const { meta } = await readList({ collection, parsed }, items);
  const found = meta?.filter_count ?? null;
  if (found === null) return null;
  return typeof limit === 'number' && limit >= 0 ? Math.min(limit, Number(found)) : Number(found);
};

/** Ends an export whose query or submitter is at fault. @throws other errors */
const refuse = (error: unknown): RunResult => {
  const cause = error instanceof RightsLost ? error.cause : error;
  const problems = cause instanceof ApiErrors ? cause.problems : [cause];
  const [first] = problems;
  if (!(first instanceof ApiError) || first.status >= 500) throw error;
  const detail = problems.map((problem) => {
    const { code, message } = problem as ApiError;
    return { loc: ['query'], msg: message, type: code };
  });
  return final({
    status: first.status === 401 ? 403 : first.status,
    body: { detail },
    errorType: null,
  });
};
