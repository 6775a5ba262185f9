/** Executes compiled reads: the rows, their nested lists level by level, and the counts in parallel. */
import type { BindInput, Statement } from '../sql/fragment.js';
import type { CompiledList, ListScan, ListStatement } from '../sql/list.js';
import { maxScanParents } from '../sql/parent-key.js';
import { unlimited } from '../sql/page.js';
import type { CompiledRead, CompiledRows } from '../sql/read.js';
import type { ReadBudget } from './read-budget.js';
import { chunk } from './chunk.js';
import type { Reader, RowLayout } from '../databases/contract.js';
import { insertLists, type FilledRows } from './nested-rows.js';
import { JsonRows, noRows, type Group, type RowSet } from './row-set.js';

/** Counts by name, and the cursor. */
export type Meta = Readonly<Record<string, number | string | null>>;

export interface ReadResult {
  readonly rows: JsonRows;
  readonly count: number;
  /** The cursor of the last row, as JSON; null where there are no further rows, or no cursor was requested. */
  readonly next: string | null;
  /** The requested counts; `null` where none was requested. */
  readonly meta: Meta | null;
}

export interface ReadInput {
  readonly input: BindInput;
  readonly executor: Reader;
  readonly budget: ReadBudget;
}

/** @throws QUERY_TOO_COMPLEX, SERVICE_UNAVAILABLE where the budget does not suffice */
export const executeRead = (read: CompiledRead, context: ReadInput): Promise<ReadResult> => {
  const rows = readRoot(read.rows, context);
  return read.counts.length === 0 ? rows : withCounts(rows, read, context);
};

const readRoot = async (rows: CompiledRows, context: ReadInput): Promise<ReadResult> => {
  const { input, executor } = context;
  const set = await executor.rows(rows.statement.render(input), layoutOf(rows, context));
  return fillRows(set, rows, context);
};

/** Returns how the rows of the first level are serialized. */
export const layoutOf = (
  { tokens, limit, byKey }: CompiledRows,
  { input, budget }: Pick<ReadInput, 'input' | 'budget'>,
): RowLayout => ({
  tokens,
  keyColumns: 0,
  limit: limit?.(input) ?? Number.POSITIVE_INFINITY,
  bytes: budget.bytes,
  byKey,
});

/** Reads the nested lists of rows and inserts them. @throws as `executeRead` */
export const fillRows = async (set: RowSet, rows: CompiledRows, context: ReadInput): Promise<ReadResult> => {
  if (set.slots.length === 0) return { rows: set.rows, count: set.count, next: set.next, meta: null };
  const filled = await readNested(set, rows, context);
  context.budget.answerRows(filled.nested);
  return { rows: filled.rows, count: set.count, next: set.next, meta: null };
};

const withCounts = async (
  rows: Promise<ReadResult>,
  read: CompiledRead,
  { input, executor }: ReadInput,
): Promise<ReadResult> => {
  const counts = read.counts.map(async ({ keys, statement }) => {
    const { text, values } = statement.render(input);
    const [row] = await executor.query(text, values);
    return keys.map((key) => [key, Number(row?.count)] as const);
  });
  const [found, ...meta] = await Promise.all([rows, ...counts]);
  return { ...found, meta: Object.fromEntries(meta.flat()) };
};

/** Reads the nested lists of a level in parallel and inserts them. */
const readNested = async (
  set: RowSet,
  { lists }: Pick<CompiledRows, 'lists'>,
  context: ReadInput,
): Promise<FilledRows> => {
  if (set.slots.length === 0) return { rows: set.rows, groups: set.groups, nested: 0 };
  const filled = await Promise.all(
    lists.map((list, index) => readList(list, keysOf(set, index, list), context)),
  );
  return insertLists(set, filled, context.budget);
};

const keysOf = (set: RowSet, index: number, { isKey }: CompiledList): readonly string[] => {
  const keys = new Set<string>();
  for (const { list, key } of set.slots) if (list === index && key !== null) keys.add(key);
  return isKey === undefined ? [...keys] : [...keys].filter(isKey);
};

const readList = async (
  list: CompiledList,
  keys: readonly string[],
  context: ReadInput,
): Promise<FilledRows> => {
  const layout: RowLayout = {
    tokens: list.tokens,
    keyColumns: list.keyColumns,
    limit: list.limit(context.input),
    bytes: context.budget.bytes,
  };
  const isItem = list.isKey !== undefined;
  if (keys.length === 0 || layout.limit === 0) return { rows: noRows, groups: new Map(), nested: 0, isItem };
  const { input, executor, budget } = context;
  const call: ListCall = { input, executor, budget, list, layout };
  const sets = await Promise.all(chunk(keys, maxScanParents).map((part) => readChunk(part, call)));
  const nested = await Promise.all(sets.flat().map((set) => readNested(set, list, context)));
  const { rows, groups, nested: below } = concatSets(nested, context);
  return { rows, groups, nested: below, isItem };
};

interface ListCall extends ReadInput {
  readonly list: CompiledList;
  readonly layout: RowLayout;
}

/** Reads the rows of some parents: in a scan if none of them has more than its limit, otherwise parent by parent. */
const readChunk = async (keys: readonly string[], call: ListCall): Promise<readonly RowSet[]> => {
  const { scan, statement, maxParents } = call.list;
  const set = scan === null || keys.length < 2 ? null : await scanRows(scan, keys, call);
  if (set !== null) return [set];
  return Promise.all(chunk(keys, maxParents).map((part) => readRows(statement, part, call)));
};

/** Returns `null` where a parent has more rows than its limit. */
const scanRows = async (
  { bounded, guarded }: ListScan,
  keys: readonly string[],
  call: ListCall,
): Promise<RowSet | null> => {
  const set = bounded === null ? null : await readShort(bounded, keys, call);
  if (set !== null) return set;
  const { limit } = call.layout;
  const rows = await readRows(guarded, keys, call);
  return rows.count > 0 || limit === unlimited ? rows : null;
};

/** Rows per parent up to which lists are short. */
const shortList = 8;
/** Reads that use a guard, so that few rows are read in vain, after lists that were not short. */
const guardedReads = 1_000;

/** Reads that still use a guard. */
const guards = new WeakMap<Statement, number>();

/** Reads lists that are expected to be short. Returns `null` where they are not. */
const readShort = async (
  statement: Statement,
  keys: readonly string[],
  { input, layout, executor, budget }: ListCall,
): Promise<RowSet | null> => {
  const guarded = guards.get(statement) ?? 0;
  const maxRows = keys.length * shortList + 1;
  if (guarded > 0) guards.set(statement, guarded - 1);
  if (guarded > 0 || maxRows > budget.rowsLeft) return null;
  return budget.run(async () => {
    const rendered = statement.render(inputOfList(input, keys, maxRows));
    const set = await executor.rows(rendered, layout);
    if (set.isWhole && set.count < maxRows) {
      budget.takeRows(set.count);
      return set;
    }
    guards.set(statement, guardedReads);
    budget.bytes.giveBack(set.rows.size);
    return null;
  });
};

const readRows = (
  { plain, capped }: ListStatement,
  keys: readonly string[],
  { list, input, layout, executor, budget }: ListCall,
): Promise<RowSet> =>
  budget.run(async () => {
    const maxRows = budget.rowsLeft + 1;
    const isItems = list.isKey !== undefined;
    const isCapped = !isItems && keys.length * layout.limit > maxRows;
    const statement = (isCapped ? capped : plain).render(inputOfList(input, keys, maxRows));
    const set = await executor.rows(statement, layout);
    // items are as many as the rows that lead to them, at most
    if (!isItems) budget.takeRows(set.count);
    return set;
  });

/** Field by field, as in all of this file: in Node.js 20, a spread and further properties take microseconds. */
const inputOfList = (
  { values, resolve, resolveQueryValue }: BindInput,
  keys: readonly string[],
  maxRows: number,
): BindInput => ({ values, keys, maxRows, resolve, resolveQueryValue });

const concatSets = (sets: readonly FilledRows[], { budget }: ReadInput): FilledRows => {
  const [only] = sets;
  if (sets.length === 1 && only !== undefined) return only;
  const groups = new Map<string, Group>();
  const chunks = sets.map(({ rows }) => rows.bytes);
  let offset = 0;
  sets.forEach((set, index) => {
    for (const [key, { start, end, rows }] of set.groups)
      groups.set(key, { start: start + offset, end: end + offset, rows });
    offset += chunks[index]?.length ?? 0;
  });
  budget.bytes.take(offset);
  const rows = JsonRows.of(Buffer.concat(chunks));
  budget.bytes.giveBack(sets.reduce((sum, set) => sum + set.rows.size, 0));
  return { rows, groups, nested: sets.reduce((sum, set) => sum + set.nested, 0) };
};
