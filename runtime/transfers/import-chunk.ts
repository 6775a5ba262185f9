/**
 * Stores a chunk of an import: its rows, the report of those that cannot be stored, and the position after it, in one
 * transaction. Where a row fails, the chunk is split until that row is found.
 */
import { ApiError, ApiErrors, forbidden } from '../../contract/errors.js';
import type { Collection } from '../../contract/collection.js';
import type { WriteHooks } from '../execute/write-transaction.js';
import type { Executor } from '../databases/contract.js';
import type { ItemContext } from '../items/context.js';
import { createItems, upsertItems, type WriteItemContext } from '../items/write.js';
import { readOnConflict } from '../request/on-conflict.js';
import { parseWriteQuery } from '../items/parsed-queries.js';
import { untilConfirmed } from '../access/confirmation.js';
import type { FileStore } from '../queue/requests/files.js';
import type { TransferState } from '../queue/store/transfers.js';
import type { ImportInput } from './input.js';
import {
  errorToProblem,
  faultToProblem,
  storeReport,
  type RejectedRow,
  type RowProblem,
} from './rejected-rows.js';
import { Superseded, type SaveState } from './run-context.js';
import type { Mapping } from './source/payload.js';
import { isFault, type SourceRow } from './source/row.js';
import { runAsSubmitter, RightsLost, type TransferServices } from './submitter.js';

export interface ImportJob extends TransferServices {
  readonly request: string;
  readonly input: ImportInput;
  readonly account: string;
  readonly collection: Collection;
  readonly files: FileStore;
  readonly saveState: SaveState;
  /** Progress of the import; replaced with every chunk. */
  state: TransferState;
}

/** Thrown at the first row that cannot be stored, where the import ends with it. */
export class RowRejected extends Error {
  readonly line: number;
  readonly problems: readonly RowProblem[];
  readonly status: number;

  constructor(line: number, { problems, status }: Rejection) {
    super(problems.map(({ message }) => message).join(' '));
    this.line = line;
    this.problems = problems;
    this.status = status;
  }
}

interface Rejection {
  readonly problems: readonly RowProblem[];
  /** HTTP status. */
  readonly status: number;
}

/** A row and why it is rejected; `null` while no problem is known. */
interface Entry {
  readonly row: SourceRow;
  readonly rejection: Rejection | null;
}

/**
 * Stores the rows of a chunk, and reports those that cannot be stored.
 * @throws RowRejected, Superseded; INVALID_QUERY; errors of access
 */
export const importChunk = (rows: readonly SourceRow[], job: ImportJob): Promise<void> =>
  importEntries(rows.map(toEntry), job);

const toEntry = (row: SourceRow): Entry => ({
  row,
  rejection: isFault(row.item) ? { problems: [faultToProblem(row.item)], status: 400 } : null,
});

const importEntries = async (entries: readonly Entry[], job: ImportJob): Promise<void> => {
  const stop = job.input.on_error === 'stop' ? entries.findIndex(({ rejection }) => rejection !== null) : -1;
  if (stop !== -1) {
    if (stop > 0) await importEntries(entries.slice(0, stop), job);
    const { row, rejection } = entries[stop] as Entry;
    throw new RowRejected(row.line, rejection as Rejection);
  }
  const failed = await tryEntries(entries, job);
  if (failed === null) return;
  if (failed.size > 0) {
    const marked = entries.map((entry) => ({ ...entry, rejection: failed.get(entry) ?? entry.rejection }));
    return importEntries(marked, job);
  }
  // the error names no row
  const half = Math.ceil(entries.length / 2);
  await importEntries(entries.slice(0, half), job);
  await importEntries(entries.slice(half), job);
};

/** Stores entries. @returns null if all were stored, otherwise the rejections by entry; empty if the error names no row */
const tryEntries = async (
  entries: readonly Entry[],
  job: ImportJob,
): Promise<ReadonlyMap<Entry, Rejection> | null> => {
  try {
    await untilConfirmed(async () => {
      await storeEntries(entries, job);
      return true;
    });
    return null;
  } catch (error) {
    const problems = error instanceof ApiErrors ? error.problems : error instanceof ApiError ? [error] : null;
    // without a row to store, no row is at fault
    const isAboutRows = entries.some(({ rejection }) => rejection === null);
    if (problems === null || !isAboutRows || problems.some(({ status }) => status >= 500)) throw error;
    const unfit = problems.find(
      ({ code, details }) => code === 'INVALID_QUERY' && details.index === undefined,
    );
    // a parameter is at fault, with every row
    if (unfit !== undefined) throw unfit;
    return attribute(problems, entries, job.input.mapping);
  }
};

/** Finds the entries that problems are about: each names its row, or there is only one. */
const attribute = (
  problems: readonly ApiError[],
  entries: readonly Entry[],
  mapping: Mapping,
): ReadonlyMap<Entry, Rejection> => {
  const sent = entries.filter(({ rejection }) => rejection === null);
  const found = new Map<Entry, Rejection>();
  for (const problem of problems) {
    const index = sent.length === 1 ? 0 : Number(problem.details.index ?? -1);
    const entry = sent[index];
    if (entry === undefined) continue;
    const known = found.get(entry)?.problems ?? [];
    found.set(entry, { problems: [...known, errorToProblem(problem, mapping)], status: problem.status });
  }
  return found;
};

const storeEntries = async (entries: readonly Entry[], job: ImportJob): Promise<void> => {
  const { input, collection } = job;
  const payloads = entries.flatMap(({ row, rejection }) => (rejection === null ? [row.item] : []));
  const next = stateAfter(entries, payloads.length, job);
  const advance = (executor: Executor) => advanceTransfer(entries, { next, executor }, job);
  await runAsSubmitter({ account: job.account, address: input.address }, job, async (context) => {
    requireCreate(collection, context);
    if (payloads.length === 0) return job.items.database.transaction(advance);
    const writing = { ...context, omitsOutput: true as const };
    const work = async (): Promise<void> => {
      if (input.dry_run) await writeItems(payloads, job, { ...writing, dryRun: { rows: 0 } });
      else await writeItems(payloads, job, { ...writing, precondition: createHooks(advance) });
    };
    await context.admission.run(work, context.caller);
    // what a dry run stores is rolled back, and with it the position
    if (input.dry_run) await job.items.database.transaction(advance);
  });
  job.state = next;
};

const writeItems = async (
  payload: readonly unknown[],
  { input, collection }: ImportJob,
  context: WriteItemContext,
): Promise<void> => {
  const target = { collection, parsed: parseWriteQuery(input.query) };
  const onConflict = readOnConflict(input.query);
  if (onConflict === null) await createItems(target, payload, context);
  else await upsertItems(target, { payload, onConflict }, context);
};

/** @throws RightsLost */
const requireCreate = (collection: Collection, { principal }: ItemContext): void => {
  if (principal.policies.grant(collection, 'create') === null)
    throw new RightsLost(forbidden(`you may not create items of "${collection.name}"`));
};

const createHooks = (advance: (executor: Executor) => Promise<void>): WriteHooks => ({
  before: (_keys, executor) => advance(executor),
  after: async () => undefined,
});

const stateAfter = (
  entries: readonly Entry[],
  stored: number,
  { state, input }: ImportJob,
): TransferState => {
  const { position, line } = entries.at(-1)?.row.end ?? state;
  return {
    ...state,
    position,
    line,
    done: state.done + stored,
    rejected: state.rejected + entries.length - stored,
    reports: state.reports + (stored < entries.length ? 1 : 0),
    progress: Math.min(100, Math.floor((100 * position) / Math.max(1, input.size))),
  };
};

const rejectedOf = (entries: readonly Entry[], { done, rejected }: TransferState): readonly RejectedRow[] =>
  entries.flatMap(({ row: { line }, rejection }, index) =>
    rejection === null ? [] : [{ row: done + rejected + index + 1, line, problems: rejection.problems }],
  );

interface Change {
  readonly next: TransferState;
  readonly executor: Executor;
}

/** Stores the position and the report. The row of the position is locked first, so that one run at a time writes it. */
const advanceTransfer = async (
  entries: readonly Entry[],
  { next, executor }: Change,
  job: ImportJob,
): Promise<void> => {
  if (!(await job.saveState(executor, next))) throw new Superseded();
  const { request, files, state } = job;
  const rejected = rejectedOf(entries, state);
  if (rejected.length > 0) await storeReport(rejected, { request, index: state.reports, files });
};
