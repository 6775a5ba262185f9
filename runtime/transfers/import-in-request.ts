/** Imports a file in one transaction, within the request that sends it. */
import { Readable } from 'node:stream';
import type { Collection } from '../../contract/collection.js';
import { ApiError, ApiErrors, invalidPayload, throwProblems } from '../../contract/errors.js';
import type { ItemContext } from '../items/context.js';
import { upsertItems } from '../items/write.js';
import { readQuery } from '../request/query.js';
import type { UploadedFile } from '../request/upload.js';
import { formatOf } from './options.js';
import type { Payload } from './source/payload.js';
import { isFault, SourceError, type SourceRow } from './source/row.js';
import { readRows } from './source/rows.js';

interface ImportedFile extends UploadedFile {
  /** Separates the cells of CSV. */
  readonly delimiter: string;
}

/**
 * Creates an item for each row, and changes those that are stored already.
 * @throws UNSUPPORTED_MEDIA_TYPE, INVALID_PAYLOAD; errors of writes, with the numbers of the `rows` that they are about
 */
export const importInRequest = async (
  file: ImportedFile,
  collection: Collection,
  context: ItemContext,
): Promise<void> => {
  const payload = await readPayload(file, collection);
  const onConflict = { action: 'update', conflict: null } as const;
  const target = { collection, parsed: readQuery({}) };
  try {
    await upsertItems(target, { payload, onConflict }, { ...context, omitsOutput: true });
  } catch (error) {
    throw nameRows(error, payload.length);
  }
};

const readPayload = async (file: ImportedFile, collection: Collection): Promise<readonly Payload[]> => {
  const payload: Payload[] = [];
  const problems: ApiError[] = [];
  try {
    for await (const { item, line } of openRows(file, collection)) {
      if (isFault(item)) problems.push(invalidPayload(`line ${line}: ${item.message}`));
      else payload.push(item);
    }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    problems.push(invalidPayload(`line ${error.line}: ${error.message}`));
  }
  throwProblems(problems);
  return payload;
};

const openRows = (
  { bytes, mediaType, delimiter }: ImportedFile,
  collection: Collection,
): AsyncIterable<SourceRow> => {
  const open = async (start: number): Promise<Readable> => Readable.from([bytes.subarray(start)]);
  const format = formatOf(mediaType, 'file import');
  return readRows(open, { position: 0, line: 0 }, { format, collection, mapping: {}, delimiter });
};

/** Replaces the index of each problem by the numbers of all rows with it, counted from 1. */
const nameRows = (error: unknown, count: number): unknown => {
  const problems = error instanceof ApiErrors ? error.problems : [error];
  const groups = new Map<string, { readonly problem: ApiError; readonly rows: number[] }>();
  for (const problem of problems) {
    if (!(problem instanceof ApiError)) return error;
    // details of one row, by which rows with the same problem would fall apart
    const { index, pointer: _pointer, invalid: _invalid, value: _value, ...details } = problem.details;
    const row = typeof index === 'number' ? index + 1 : count === 1 ? 1 : null;
    const key = row === null ? String(groups.size) : JSON.stringify([problem.code, details]);
    const group = groups.get(key) ?? { problem, rows: [] };
    if (row !== null) group.rows.push(row);
    groups.set(key, group);
  }
  const named = [...groups.values()].map(({ problem, rows }) => withRows(problem, rows));
  return named.length === 1 ? named[0] : new ApiErrors(named);
};

const withRows = (problem: ApiError, rows: readonly number[]): ApiError => {
  if (rows.length === 0) return problem;
  const { index: _index, pointer: _pointer, ...details } = problem.details;
  // the form of the public system, which names ranges and lists of rows apart
  return new ApiError(problem.code, { ...details, rows: [{ type: 'lines', rows }] }, problem.explanation);
};
