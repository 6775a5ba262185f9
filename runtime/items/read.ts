/** Lists and items: a parsed query becomes a plan, once per shape and policy set, and runs. */
import type { Collection } from '../../contract/collection.js';
import type { Executor } from '../databases/contract.js';
import { executeRead, type ReadResult } from '../execute/read.js';
import type { JsonRows } from '../execute/row-set.js';
import {
  missingItem,
  restrictToFirst,
  restrictToItem,
  restrictToItems,
  orderByKeys,
  readKey,
} from '../plan/item.js';
import { planRead } from '../plan/read.js';
import type { ReadPlan } from '../plan/types.js';
import type { Scalar } from '../plan/values.js';
import type { ParsedQuery } from '../request/query.js';
import { paddedLength } from '../sql/fragment.js';
import { compileRead, type CompiledRead } from '../sql/read.js';
import { bindInput, limitsOf, type ItemContext } from './context.js';
import { remember } from './plans.js';
import { absentItem } from './singleton.js';

export interface ReadTarget {
  readonly collection: Collection;
  readonly parsed: ParsedQuery;
}

export const readList = ({ collection, parsed }: ReadTarget, context: ItemContext): Promise<ReadResult> =>
  run({ collection, parsed, kind: 'list', narrow: (plan) => plan, keys: [] }, context);

/** @throws FORBIDDEN where there is none for the caller */
export const readItem = async (
  { collection, parsed }: ReadTarget,
  key: readonly unknown[],
  context: ItemContext,
): Promise<JsonRows> => {
  const keys = readKey(collection, key);
  const { rows, count } = await run(
    { collection, parsed, kind: 'item', narrow: restrictToItem, keys },
    context,
  );
  if (count === 0) throw missingItem(collection);
  return rows;
};

/** Those of the keys that exist for the caller, in the order of the query. */
export const readItems = (
  target: ReadTarget,
  keys: readonly (readonly Scalar[])[],
  context: ItemContext,
): Promise<ReadResult> => run(byKeys(target, keys), context);

/** What reads inside a write: the connection that has written. */
export interface WrittenContext extends ItemContext {
  readonly executor: Executor;
}

/** The same of keys that were written: all of them, whatever the maximum. */
export const readWritten = (
  target: ReadTarget,
  keys: readonly (readonly Scalar[])[],
  context: WrittenContext,
): Promise<ReadResult> => run(written(byKeys(target, keys)), context);

/** Of keys that were made: in their order where the query asks for none, since callers know the rows by nothing else. */
export const readCreated = (
  target: ReadTarget,
  keys: readonly (readonly Scalar[])[],
  context: WrittenContext,
): Promise<ReadResult> => {
  const items = written(byKeys(target, keys));
  if (target.parsed.query.sort !== null || keys.length < 2) return run(items, context);
  const places = paddedLength(keys.length);
  return run(
    {
      ...items,
      kind: `${items.kind} in ${places} places`,
      narrow: (plan) => orderByKeys(items.narrow(plan), places),
    },
    context,
  );
};

const written = (items: Run): Run => ({
  ...items,
  kind: `written ${items.kind}`,
  narrow: (plan) => ({ ...items.narrow(plan), limit: 'every' }),
});

const byKeys = ({ collection, parsed }: ReadTarget, keys: readonly (readonly Scalar[])[]): Run => ({
  collection,
  parsed,
  kind: collection.key.length === 1 ? 'items' : `items ${keys.length}`,
  narrow: (plan) => restrictToItems(plan, keys.length),
  keys: keys.flat(),
});

/** The one item of a singleton; its defaults where there is none. */
export const readSingleton = async (
  { collection, parsed }: ReadTarget,
  context: ItemContext,
): Promise<JsonRows> => {
  const { rows, count } = await run(
    { collection, parsed, kind: 'singleton', narrow: restrictToFirst, keys: [] },
    context,
  );
  if (count > 0) return rows;
  return absentItem(planRead(parsed.query, collection, planContext(context)), context);
};

export const planContext = ({ principal, maxDepth }: ItemContext) => ({
  policies: principal.policies,
  maxDepth,
});

interface Run extends ReadTarget {
  /** Tells apart plans of one shape. */
  readonly kind: string;
  readonly narrow: (plan: ReadPlan) => ReadPlan;
  readonly keys: readonly unknown[];
}

const run = (options: Run, context: ItemContext & Partial<WrittenContext>): Promise<ReadResult> => {
  const { values } = options.parsed;
  const { executor = context.database } = context;
  const compiled = compile(options, context);
  return executeRead(compiled, bindInput(context, { values, keys: options.keys }), executor);
};

const compile = ({ collection, parsed, kind, narrow }: Run, context: ItemContext): CompiledRead =>
  remember(context, { collection, use: kind, shape: parsed.shape }, () =>
    compileRead(narrow(planRead(parsed.query, collection, planContext(context))), {
      dialect: context.dialect,
      limits: limitsOf(context),
    }),
  );
