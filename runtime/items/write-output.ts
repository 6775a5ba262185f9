/** Reads the output of writes: the written rows, as the query selects them. */
import type { KeyList } from '../execute/key-list.js';
import { JsonRows, noRows } from '../execute/row-set.js';
import type { OutputReader } from '../execute/write.js';
import type { Executor } from '../databases/contract.js';
import { withEmptyLists } from '../plan/create-response.js';
import { planRead } from '../plan/read.js';
import type { ParsedQuery, Query } from '../request/query.js';
import { compileReturning } from '../sql/insert.js';
import type { ItemContext } from './context.js';
import { cachePlan } from './plans.js';
import { planContext, type ReadTarget, type readWritten } from './read.js';

/** Rows, or the reason why written rows are not returned. */
export type WriteOutput = JsonRows | RowsOmitted;

export interface RowsOmitted {
  /**
   * `unreadable`: the caller may not read the rows. `unknown`: the database does not report their keys, or reading the
   * stored rows failed. `large`: there are too many.
   */
  readonly reason: 'unreadable' | 'unknown' | 'large';
  /** Number of written rows. */
  readonly count: number;
}

/** Reads the rows of keys, with `executor`. */
type ReadRows = typeof readWritten;

/** Creates the reader of a write's output; rejects invalid fields before anything is written. */
export const createOutputReader = (
  { collection, parsed }: ReadTarget,
  read: ReadRows,
  context: ItemContext,
): OutputReader<WriteOutput> => {
  if (context.omitsOutput === true || context.principal.policies.grant(collection, 'read') === null)
    return unreadable;
  const planOutput = () => planRead(toOutputQuery(parsed).query, collection, planContext(context));
  const { shape } = parsed;
  const returning = cachePlan(context, { collection, use: 'output', shape }, () =>
    compileReturning(planOutput(), context.dialect),
  );
  const returningNew = () =>
    cachePlan(context, { collection, use: 'output of new row', shape }, () =>
      compileReturning(withEmptyLists(planOutput()), context.dialect),
    );
  const readKeys = (keys: KeyList | null, executor: Executor): Promise<WriteOutput> =>
    readOutput({ collection, parsed: toOutputQuery(parsed) }, keys, { read, executor, context });
  return {
    returnsRows: true,
    keepsOrder: parsed.query.sort === null,
    returning,
    returningNew,
    fromRows: (rows) => rows,
    read: readKeys,
    async readCommitted(keys, executor) {
      try {
        return await readKeys(keys, executor);
      } catch (error) {
        context.observe({ kind: 'answerFailed', collection: collection.name, error });
        return { reason: 'unknown', count: keys?.count ?? 1 };
      }
    },
  };
};

/** Returns the output of a write that writes no item. */
export const writtenNothing = ({ returnsRows }: OutputReader<WriteOutput>): WriteOutput =>
  returnsRows ? noRows : { reason: 'unreadable', count: 0 };

const omit = async (keys: KeyList | null): Promise<WriteOutput> => ({
  reason: 'unreadable',
  count: keys?.count ?? 0,
});

const unreadable: OutputReader<WriteOutput> = {
  returnsRows: false,
  keepsOrder: true,
  returning: null,
  returningNew: () => null,
  fromRows: (rows) => rows,
  read: omit,
  readCommitted: omit,
};

/** Keeps the parts of a query that shape rows and removes those that select them. */
const toOutputQuery = (parsed: ParsedQuery): ParsedQuery => {
  const query: Query = {
    ...parsed.query,
    filter: null,
    search: null,
    limit: 'all',
    offset: null,
    page: null,
    meta: [],
  };
  return { query, shape: `output ${parsed.shape}`, values: parsed.values };
};

/** Maximum number of rows in a response. */
const maxRows = 10_000;
/** Rows per statement. */
const chunkSize = 500;

const readOutput = async (
  target: ReadTarget,
  keys: KeyList | null,
  {
    read,
    executor,
    context,
  }: { readonly read: ReadRows; readonly executor: Executor; readonly context: ItemContext },
): Promise<WriteOutput> => {
  if (keys === null) return { reason: 'unknown', count: 0 };
  const { count } = keys;
  if (count > maxRows) return { reason: 'large', count };
  const parts = await Promise.all(
    Array.from(keys.chunks(chunkSize), (part) => read(target, part, { ...context, executor })),
  );
  if (count > 0 && parts.every((part) => part.count === 0)) return { reason: 'unreadable', count };
  const [part] = parts;
  // a key that tables repeat which inherit from this one
  if (count === 1 && part !== undefined && part.count > 1) return part.rows.first;
  return joinRows(parts.map(({ rows }) => rows).filter((rows) => !rows.isEmpty));
};

const joinRows = (parts: readonly JsonRows[]): JsonRows => {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const chunks = parts.flatMap(({ bytes }, index) => (index === 0 ? [bytes] : [Buffer.from(','), bytes]));
  return JsonRows.of(Buffer.concat(chunks));
};
