/** Reads lists and items. A parsed query is planned and compiled once per shape and policy set. */
import type { Collection } from '../../contract/collection.js';
import type { ChunkReader, Executor, Reader } from '../databases/contract.js';
import { executeRead, fillRows, type ReadResult } from '../execute/read.js';
import type { JsonRows } from '../execute/row-set.js';
import { readSpooled } from '../execute/spooled-read.js';
import {
  missingItem,
  restrictToFirst,
  restrictToItem,
  restrictToItems,
  orderByKeys,
  readKey,
} from '../plan/item.js';
import { invalidQuery } from '../../contract/errors.js';
import { planCursor } from '../plan/cursor.js';
import { planAggregate } from '../plan/aggregate.js';
import { planRead } from '../plan/read.js';
import type { ReadPlan } from '../plan/types.js';
import type { Scalar } from '../plan/parsed-value.js';
import type { ParsedQuery } from '../request/query.js';
import { paddedLength } from '../sql/fragment.js';
import { compileAggregate } from '../sql/aggregate.js';
import { compileRead, type CompiledRead } from '../sql/read.js';
import { bindInput, limitsOf, type ItemContext } from './context.js';
import { openCursor } from './cursors.js';
import { cachePlan } from './plans.js';
import { absentItem } from './singleton.js';

export interface ReadTarget {
  readonly collection: Collection;
  readonly parsed: ParsedQuery;
}

/** Context of a read, which `executor` runs where it is given. */
export interface ReadContext extends ItemContext {
  readonly executor?: Reader;
}

/** Reads a list or an aggregation. @throws the errors of its query, FORBIDDEN, QUERY_TOO_COMPLEX */
export const readList = (target: ReadTarget, context: ReadContext): Promise<ReadResult> => {
  const { cursor, after } = target.parsed.query;
  if (cursor || after !== null) return readPage(target, context);
  const { collection, parsed } = target;
  return run({ collection, parsed, kind: 'list', restrict: asPlanned, keys: [] }, context);
};

const asPlanned = (plan: ReadPlan): ReadPlan => plan;

/** Reads a page after the cursor of the previous one, and returns the cursor of the next one. */
const readPage = async ({ collection, parsed }: ReadTarget, context: ReadContext): Promise<ReadResult> => {
  const { query, values } = parsed;
  if (query.aggregation !== null) throw invalidQuery('"after" and "cursor" do not apply to aggregations');
  const sent = query.after === null ? null : openCursor(String(values[query.after]));
  const keys = sent?.values.filter((value) => value !== null) ?? [];
  const nulls = sent?.values.map((value) => value === null) ?? null;
  const kind = nulls === null ? 'pages' : `pages ${nulls.map(Number).join('')}`;
  // field by field, here and below: in Node.js 20, a spread and further properties take microseconds
  const page: ReadRun = { collection, parsed, kind, restrict: (plan) => planCursor(plan, nulls), keys };
  const order = compile(page, context).order ?? '';
  if (sent !== null) await context.cursors.verify(sent, order);
  const { rows, count, next, meta } = await run(page, context);
  if (!query.cursor) return { rows, count, next, meta };
  const cursor = next === null ? null : await context.cursors.seal(next, order);
  return { rows, count, next, meta: meta === null ? { cursor } : { ...meta, cursor } };
};

/** Reads one item. @throws FORBIDDEN when it does not exist for the caller */
export const readItem = async (
  { collection, parsed }: ReadTarget,
  key: readonly unknown[],
  context: ItemContext & Partial<WrittenContext>,
): Promise<JsonRows> => {
  const keys = readKey(collection, key);
  const { rows, count } = await run(
    { collection, parsed, kind: 'item', restrict: restrictToItem, keys },
    context,
  );
  if (count === 0) throw missingItem(collection);
  // tables that inherit from another one repeat its keys
  return count > 1 ? rows.first : rows;
};

/** Reads the items of keys that exist for the caller, in the order of the query. @throws INVALID_QUERY for a cursor */
export const readItems = (
  target: ReadTarget,
  keys: readonly (readonly Scalar[])[],
  context: ItemContext,
): Promise<ReadResult> => {
  const { cursor, after } = target.parsed.query;
  if (cursor || after !== null)
    throw invalidQuery('"after" and "cursor" do not apply to items by their keys');
  return run(byKeys(target, keys), context);
};

/** Context of a read inside a write, on the connection of its transaction. */
export interface WrittenContext extends ItemContext {
  readonly executor: Executor;
}

/** Reads the items of written keys, without the limit of lists. */
export const readWritten = (
  target: ReadTarget,
  keys: readonly (readonly Scalar[])[],
  context: WrittenContext,
): Promise<ReadResult> => run(written(byKeys(target, keys)), context);

/**
 * Reads created items, in the order of their keys if the query has no sort: callers can match them to their payload only
 * by position.
 */
export const readCreated = (
  target: ReadTarget,
  keys: readonly (readonly Scalar[])[],
  context: WrittenContext,
): Promise<ReadResult> => {
  const items = written(byKeys(target, keys));
  if (target.parsed.query.sort !== null || keys.length < 2) return run(items, context);
  const count = paddedLength(keys.length);
  return run(
    {
      ...items,
      kind: `${items.kind} in ${count} count`,
      restrict: (plan) => orderByKeys(items.restrict(plan), count),
    },
    context,
  );
};

const written = (items: ReadRun): ReadRun => ({
  ...items,
  kind: `written ${items.kind}`,
  restrict: (plan) => ({ ...items.restrict(plan), limit: 'unlimited' }),
});

const byKeys = ({ collection, parsed }: ReadTarget, keys: readonly (readonly Scalar[])[]): ReadRun => ({
  collection,
  parsed,
  kind: collection.key.length === 1 ? 'items' : `items ${keys.length}`,
  restrict: (plan) => restrictToItems(plan, keys.length),
  keys: keys.flat(),
});

/** Reads the item of a singleton, or its defaults if there is none. */
export const readSingleton = async (
  { collection, parsed }: ReadTarget,
  context: ItemContext & Partial<WrittenContext>,
): Promise<JsonRows> => {
  const { rows, count } = await run(
    { collection, parsed, kind: 'singleton', restrict: restrictToFirst, keys: [] },
    context,
  );
  if (count > 0) return rows;
  return absentItem(planRead(parsed.query, collection, planContext(context)), context);
};

/** Returns the part of the context that plans depend on, and by which they are cached. */
export const planContext = ({ principal, maxDepth }: ItemContext) => ({
  policies: principal.policies,
  maxDepth,
});

interface ReadRun extends ReadTarget {
  /** Distinguishes plans of one query shape in the cache. */
  readonly kind: string;
  readonly restrict: (plan: ReadPlan) => ReadPlan;
  readonly keys: readonly unknown[];
}

/** Runs a read with `executor`, or on the database without one. */
export const run = (options: ReadRun, context: ReadContext): Promise<ReadResult> => {
  const { values } = options.parsed;
  const { executor = context.database } = context;
  const compiled = compile(options, context);
  const input = bindInput(context, { values, keys: options.keys });
  return executeRead(compiled, { input, executor, budget: context.budget });
};

/** Context of a read of any size. */
export interface SpooledContext extends ItemContext {
  readonly executor: ChunkReader;
}

/** Some items of a list. */
export interface ItemChunk extends Pick<ReadResult, 'rows' | 'count'> {
  readonly isLast: boolean;
}

/** Runs a read whose items are as many as the database has, and yields them after the end of its statement. */
export async function* runSpooled(
  options: ReadRun,
  context: SpooledContext,
): AsyncGenerator<ItemChunk, void, void> {
  const { executor, budget, admission } = context;
  const { rows } = compile(options, context);
  const input = bindInput(context, { values: options.parsed.values, keys: options.keys });
  let isFirst = true;
  for await (const { set, isLast } of readSpooled(rows, { input, executor, budget })) {
    const fill = () => fillRows(set, rows, { input, executor, budget });
    // the first items are read in the turn of the request
    const filled = await (isFirst ? fill() : admission.run(fill, context.caller));
    yield { rows: filled.rows, count: filled.count, isLast };
    isFirst = false;
  }
}

const compile = (options: ReadRun, context: ItemContext): CompiledRead => {
  const { collection, parsed, kind } = options;
  return cachePlan(context, { collection, use: kind, shape: parsed.shape }, () =>
    compileRun(options, context),
  );
};

const compileRun = ({ collection, parsed, kind, restrict }: ReadRun, services: ItemContext): CompiledRead => {
  const { query } = parsed;
  const options = { dialect: services.dialect, limits: limitsOf(services) };
  const context = planContext(services);
  return (kind === 'list' || kind === 'export') && query.aggregation !== null
    ? compileAggregate(planAggregate(query, query.aggregation, { collection, context }), options)
    : compileRead(restrict(planRead(query, collection, context)), options);
};
