/** Compiled reads run: the rows, their nested lists level by level, and the counts beside them. */
import type { BindInput } from '../sql/fragment.js';
import type { CompiledList, CompiledRead, CompiledRows } from '../sql/read.js';
import { chunk } from './chunk.js';
import type { Executor, RowLayout } from '../databases/contract.js';
import { fillHoles, JsonRows, noRows, type FilledRows, type RowSet } from './row-set.js';

export interface ReadResult {
  readonly rows: JsonRows;
  readonly count: number;
  /** `total_count`, `filter_count`, as far as asked for. */
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
  const filled = set.holes.length === 0 ? set : await fill(set, rows, { input, executor });
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

/** Sibling lists are read side by side. */
const fill = async (set: RowSet, rows: CompiledRows, context: Context): Promise<FilledRows> => {
  if (set.holes.length === 0) return set;
  const lists = await Promise.all(
    rows.lists.map((list, index) => readList(list, keysOf(set, index), context)),
  );
  return fillHoles(set, lists);
};

const keysOf = (set: RowSet, list: number): readonly string[] => {
  const keys = new Set<string>();
  for (const hole of set.holes) if (hole.list === list && hole.key !== null) keys.add(hole.key);
  return [...keys];
};

/** Longer lists of keys make planners of some databases give up indexes. */
const keysTogether = 1000;
const keysApart = 64;

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
    chunk(keys, list.together === null ? keysApart : keysTogether).map((part) =>
      readChunk(list, layout, { input: withKeys(context.input, part), executor: context.executor }),
    ),
  );
  return concatSets(await Promise.all(sets.flat().map((set) => fill(set, list, context))));
};

const withKeys = (input: BindInput, keys: readonly string[]): BindInput => ({ ...input, keys });

/** Together where every parent surely got its rows; else one branch per parent. */
const readChunk = async (
  list: CompiledList,
  layout: RowLayout,
  { input, executor }: Context,
): Promise<readonly RowSet[]> => {
  if (list.together !== null) {
    const set = await executor.rows(list.together.render(input), layout);
    if (set.count <= input.keys.length * layout.limit) return [set];
  }
  return Promise.all(
    chunk(input.keys as readonly string[], keysApart).map((part) =>
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
