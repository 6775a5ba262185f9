/** A finding: rows that prevent a change of their tables, or that lose data by it. */
import { invalidPayload } from '../../../contract/errors.js';
import { countUpTo, type RowCount } from '../row-counts.js';
import type { ColumnShape, TableShape } from '../shapes.js';
import type { Database, Executor, SchemaPrinter } from '../../databases/contract.js';

/** `lossy` findings can be accepted; all others make a change impossible. */
export const findingKinds = {
  nulls: { lossy: false },
  missing_values: { lossy: false },
  out_of_range: { lossy: false },
  not_in_enum: { lossy: false },
  duplicates: { lossy: false },
  orphans: { lossy: false },
  violations: { lossy: false },
  inconvertible: { lossy: false },
  too_long: { lossy: true },
  may_change: { lossy: true },
  may_not_fit: { lossy: true },
} as const;

export type FindingKind = keyof typeof findingKinds;

/** `rows` is the number of rows; of duplicates, the number of values. */
export interface Finding extends RowCount {
  readonly kind: FindingKind;
  readonly collection: string;
  /** Empty for a finding about the collection. */
  readonly fields: readonly string[];
  /** Message with the problem and its remedy. */
  readonly message: string;
}

/** Names that the database has until renames are done. */
export interface FormerNames {
  table(name: string): string;
  /** Returns the name of a column of a table, which is given by its new name. */
  column(table: string, name: string): string;
}

export interface FindingContext {
  readonly executor: Pick<Executor, 'query' | 'quote'>;
  readonly database: Pick<Database, 'isConnectionLoss' | 'isGivenUp'>;
  readonly printer: SchemaPrinter;
  readonly names: FormerNames;
  /** Collation of the database; null where it has none. */
  readonly collation: string | null;
}

/** Returns the collation of the texts of a column, its own or that of its table. */
export const collationOf = (
  column: ColumnShape,
  table: TableShape,
  { collation }: Pick<FindingContext, 'collation'>,
): string => column.collation ?? table.collation ?? collation ?? '';

/** Quotes a table by the name that it has now, which may be about to change. */
export const quoteTable = (table: string, { executor, names }: FindingContext): string =>
  executor.quote(names.table(table));

/** Quotes a column by the name that it has now, which may be about to change. */
export const quoteColumn = (table: string, column: string, { executor, names }: FindingContext): string =>
  executor.quote(names.column(table, column));

/**
 * Asks the database about its data. A question that it cannot answer, as operators do not fit types or values, is the fault of
 * the diff.
 * @param problem describes such a question
 * @throws INVALID_PAYLOAD
 */
export const ask = async <Answer>(
  question: () => Promise<Answer>,
  problem: string,
  { database }: Pick<FindingContext, 'database'>,
): Promise<Answer> => {
  try {
    return await question();
  } catch (error) {
    if (database.isConnectionLoss(error) || database.isGivenUp(error)) throw error;
    throw Object.assign(invalidPayload(problem), { cause: error });
  }
};

/**
 * Counts the rows of a query up to a million, as most questions are about all rows of a table.
 * @param select a SELECT without a limit
 * @param problem as in `ask`
 */
export const askCount = (select: string, problem: string, context: FindingContext): Promise<RowCount> =>
  ask(() => countUpTo(context.executor, select), problem, context);

/** Counts the rows of a table that meet a condition. @param problem as in `ask` */
export const countRows = (
  { table, condition }: { readonly table: string; readonly condition: string },
  problem: string,
  context: FindingContext,
): Promise<RowCount> =>
  askCount(`select 1 as one from ${quoteTable(table, context)} where ${condition}`, problem, context);
