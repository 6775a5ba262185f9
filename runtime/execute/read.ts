/** Executes compiled reads: the rows, their nested lists level by level, and the counts in parallel. */
import type { BindInput } from '../sql/fragment.js';
import type { CompiledList, CompiledRead, CompiledRows } from '../sql/read.js';
import { chunk } from './chunk.js';
import type { Executor, RowLayout } from '../databases/contract.js';
import { insertLists, JsonRows, noRows, type FilledRows, type RowSet } from './row-set.js';

export interface ReadResult {
  readonly rows: JsonRows;
  readonly count: number;
  /** The requested counts; `null` where none was requested. */
  readonly meta: Readonly<Record<string, number>> | null;
}

export const executeRead = (
  read: CompiledRead,
  input: BindInput,
  executor: Executor,
): Promise<ReadResult> => {
  const rows = readRoot(read.rows, input, executor);
  return read.counts.length === 0 ? rows : withCounts(rows, { read, input, executor });
};

const readRoot = async (rows: CompiledRows, input: BindInput, executor: Executor): Promise<ReadResult> => {
  const layout: RowLayout = { tokens: rows.tokens, keyColumns: 0, limit: Number.POSITIVE_INFINITY };
  const set = await executor.rows(rows.statement.render(input), layout);
  const filled = set.slots.length === 0 ? set : await readNested(set, rows, { input, executor });
  return { rows: filled.rows, count: set.count, meta: null };
};

const withCounts = async (
  rows: Promise<ReadResult>,
  { read, input, executor }: Context & { readonly read: CompiledRead },
): Promise<ReadResult> => {
  const counts = read.counts.map(async ({ keys, statement }) => {
    const { text, values } = statement.render(input);
    const [row] = await executor.query(text, values);
    return keys.map((key) => [key, Number(row?.count)] as const);
  });
  const [found, ...meta] = await Promise.all([rows, ...counts]);
  return { ...found, meta: Object.fromEntries(meta.flat()) };
};

interface Context {
  readonly input: BindInput;
  readonly executor: Executor;
}

/** Reads the nested lists of a level in parallel and inserts them. */
const readNested = async (set: RowSet, rows: CompiledRows, context: Context): Promise<FilledRows> => {
  if (set.slots.length === 0) return set;
  const lists = await Promise.all(
    rows.lists.map((list, index) => readList(list, keysOf(set, index), context)),
  );
  return insertLists(set, lists);
};

const keysOf = (set: RowSet, list: number): readonly string[] => {
  const keys = new Set<string>();
  for (const slot of set.slots) if (slot.list === list && slot.key !== null) keys.add(slot.key);
  return [...keys];
};

/** Keys per scan: for longer lists some query planners stop using indexes. */
const maxScanKeys = 1000;
const maxBranches = 64;

const readList = async (
  list: CompiledList,
  keys: readonly string[],
  context: Context,
): Promise<FilledRows> => {
  const layout: RowLayout = {
    tokens: list.tokens,
    keyColumns: list.keyColumns,
    limit: list.limit(context.input),
  };
  if (keys.length === 0 || layout.limit === 0) return { rows: noRows, groups: new Map() };
  const sets = await Promise.all(
    chunk(keys, list.scan === null ? maxBranches : maxScanKeys).map((part) =>
      readChunk(list, layout, { input: withKeys(context.input, part), executor: context.executor }),
    ),
  );
  return concatSets(await Promise.all(sets.flat().map((set) => readNested(set, list, context))));
};

const withKeys = (input: BindInput, keys: readonly string[]): BindInput => ({ ...input, keys });

/**
 * Reads a list in one scan where it is certain that every parent's rows were returned, otherwise with one
 * branch per parent.
 */
const readChunk = async (
  list: CompiledList,
  layout: RowLayout,
  { input, executor }: Context,
): Promise<readonly RowSet[]> => {
  if (list.scan !== null) {
    const set = await executor.rows(list.scan.render(input), layout);
    if (set.count <= input.keys.length * layout.limit) return [set];
  }
  return Promise.all(
    chunk(input.keys as readonly string[], maxBranches).map((part) =>
      executor.rows(list.statement.render(withKeys(input, part)), layout),
    ),
  );
};

const concatSets = (sets: readonly FilledRows[]): FilledRows => {
  const [only] = sets;
  if (sets.length === 1 && only !== undefined) return only;
  const groups = new Map<string, { readonly start: number; readonly end: number }>();
  const chunks = sets.map(({ rows }) => rows.bytes);
  let offset = 0;
  sets.forEach((set, index) => {
    for (const [key, { start, end }] of set.groups)
      groups.set(key, { start: start + offset, end: end + offset });
    offset += chunks[index]?.length ?? 0;
  });
  return { rows: JsonRows.of(Buffer.concat(chunks)), groups };
};
