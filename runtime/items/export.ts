/** Exports lists as files: read in pages by keyset, and sent at the pace of the client. */
import { Readable } from 'node:stream';
import { invalidQuery } from '../../contract/errors.js';
import type { ChunkReader } from '../databases/contract.js';
import type { ReadResult } from '../execute/read.js';
import type { JsonRows } from '../execute/row-set.js';
import { planAggregate } from '../plan/aggregate.js';
import { canPage, cursorOrder, planCursor } from '../plan/cursor.js';
import { planRead } from '../plan/read.js';
import type { Operand, ReadPlan } from '../plan/types.js';
import type { ApiResponse } from '../request/api-request.js';
import type { ExportFormat } from '../../contract/export-formats.js';
import { csvShapeOf, type CsvShape } from '../response/export/columns.js';
import { plainFields, type CsvFields } from '../response/export/csv.js';
import { createPrinter, printItem, type CsvOptions } from '../response/export/formats.js';
import { addColumns, printSpooled } from '../response/export/spool.js';
import { respondFile } from '../response/export/respond-file.js';
import { readLimit, readOffset } from '../sql/page.js';
import { comparesAsItSorts } from '../sql/select.js';
import { bindInput, limitsOf, type Client, type ItemContext } from './context.js';
import {
  planContext,
  run,
  runSpooled,
  type ItemChunk,
  type ReadTarget,
  type SpooledContext,
} from './read.js';

/** Context of an export, which `executor` reads where it is given. */
export interface ExportContext extends ItemContext {
  readonly executor?: ChunkReader;
}

type Chunk = Pick<ItemChunk, 'rows' | 'isLast'>;

/** Reads a list in a format. @throws as a list does, for what is wrong before the first item is sent */
export const exportList = async (
  target: ReadTarget,
  format: ExportFormat,
  context: ExportContext,
): Promise<ApiResponse> => {
  if (target.parsed.query.after !== null)
    throw invalidQuery('"export" returns every page, so "after" does not apply');
  const { executor = context.database.readUntil(closeSignal(context.client)) } = context;
  const chunks = readChunks(target, { ...context, executor });
  const { value: first } = (await chunks.next()) as IteratorYieldResult<Chunk>;
  const { isOpen, ...fields } = shapeOf(target, format, context);
  const file = { collection: target.collection, format, now: context.now };
  if (first.isLast) return respondFile(printWhole(format, first.rows.bytes, fields), file);
  const rest = bytesOf(prepend(first, chunks), context);
  const body = isOpen
    ? printSpooled(format, rest, fields)
    : printChunks(format, rest, { ...fields, columns: null });
  return respondFile(Readable.from(body, { objectMode: false }), file);
};

/** Returns a signal that is aborted when nobody waits for the export any more. */
const closeSignal = ({ onClose }: Client): AbortSignal => {
  const controller = new AbortController();
  const reason = invalidQuery('the client closed the connection before the export was complete');
  onClose(() => controller.abort(reason));
  return controller.signal;
};

/** Prints one item in a format. */
export const exportItem = (
  item: JsonRows,
  {
    target,
    format,
    context,
  }: { readonly target: ReadTarget; readonly format: ExportFormat; readonly context: ItemContext },
): ApiResponse => {
  const fields = shapeOf(target, format, context);
  const body = printItem(format, item.bytes, { ...fields, columns: null });
  return respondFile(body, { collection: target.collection, format, now: context.now });
};

const isCsv = (format: ExportFormat): boolean => format === 'csv' || format === 'csv_utf8';

const shapeOf = (
  { collection, parsed: { query } }: ReadTarget,
  format: ExportFormat,
  context: ItemContext,
): CsvShape => {
  if (!isCsv(format)) return { ...plainFields, isOpen: false };
  const access = planContext(context);
  return csvShapeOf(
    query.aggregation === null
      ? planRead(query, collection, access)
      : planAggregate(query, query.aggregation, { collection, context: access }),
  );
};

const printWhole = (format: ExportFormat, rows: Buffer, fields: CsvFields): Buffer => {
  const columns = new Set<string>();
  if (isCsv(format)) addColumns(rows, columns, fields);
  const printer = createPrinter(format, { ...fields, columns });
  const printed = rows.length === 0 ? '' : printer.print(rows);
  return Buffer.concat(
    [printed, printer.end()].map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
  );
};

async function* printChunks(
  format: ExportFormat,
  chunks: AsyncIterable<Buffer>,
  csv: CsvOptions,
): AsyncGenerator<Buffer | string, void, void> {
  const printer = createPrinter(format, csv);
  for await (const rows of chunks) yield printer.print(rows);
  yield printer.end();
}

async function* prepend(first: Chunk, rest: AsyncIterable<Chunk>): AsyncGenerator<Chunk, void, void> {
  yield first;
  yield* rest;
}

/** Returns the bytes of all chunks; the memory of one is free when the next is requested. */
async function* bytesOf(
  chunks: AsyncIterable<Chunk>,
  { budget }: ItemContext,
): AsyncGenerator<Buffer, void, void> {
  for await (const { rows } of chunks) {
    if (!rows.isEmpty) yield rows.bytes;
    budget.bytes.giveBack(rows.size);
  }
}

/** Items of the first chunk; later ones are as large as `chunkBytes` allows. */
const firstCount = 1_000;
const maxCount = 20_000;
/** About as many bytes as a chunk has. */
const chunkBytes = 1024 * 1024;

/** Reads a list chunk by chunk: in pages, or with one statement where its order is not total, as that of a view. */
async function* readChunks(target: ReadTarget, context: SpooledContext): AsyncGenerator<Chunk, void, void> {
  const { query, values } = target.parsed;
  const plan = query.aggregation === null ? planRead(query, target.collection, planContext(context)) : null;
  if (plan === null || !isPaged(plan, context)) {
    const whole = { ...target, kind: 'export', restrict: withoutMeta, keys: [] };
    for await (const { rows, count, isLast } of runSpooled(whole, context)) {
      context.onRows?.(count);
      yield { rows, isLast };
    }
    return;
  }
  const input = bindInput(context, { values });
  const limits = limitsOf(context);
  const offset = readOffset(plan, input, limits);
  let left = readLimit(plan.limit, input, limits);
  let count = Math.min(left, firstCount);
  let next: string | null = null;
  do {
    const page = pageAfter(next, { count, offset });
    const read = () => run({ ...target, ...page }, context);
    // the first page is read in the turn of the request
    const result: ReadResult = await (next === null ? read() : context.admission.run(read, context.caller));
    left -= result.count;
    next = left > 0 ? result.next : null;
    context.onRows?.(result.count);
    yield { rows: result.rows, isLast: next === null };
    const size = result.rows.bytes.length / Math.max(1, result.count);
    count = Math.min(left, maxCount, Math.max(100, Math.floor(chunkBytes / Math.max(1, size))));
  } while (next !== null);
}

const withoutMeta = (plan: ReadPlan): ReadPlan => ({ ...plan, meta: [] });

const isPaged = (plan: ReadPlan, { dialect }: ItemContext): boolean =>
  canPage(plan) && cursorOrder(plan).every(({ column }) => comparesAsItSorts(column.field, dialect));

/** Returns how the page after a cursor is read; its size and place are bound after the values of the cursor. */
const pageAfter = (
  cursor: string | null,
  { count, offset }: { readonly count: number; readonly offset: number },
) => {
  const values = cursor === null ? [] : (JSON.parse(cursor) as readonly unknown[]);
  const nulls = cursor === null ? null : values.map((value) => value === null);
  const present = values.filter((value) => value !== null);
  const limit: Operand = { from: 'key', index: present.length };
  const skip: Operand | null = cursor === null ? { from: 'key', index: present.length + 1 } : null;
  return {
    kind: `export ${nulls === null ? 'first' : nulls.map(Number).join('')}`,
    restrict: (plan: ReadPlan): ReadPlan =>
      planCursor({ ...withoutMeta(plan), limit, offset: skip, page: null }, nulls),
    keys: [...present, count, offset],
  };
};
