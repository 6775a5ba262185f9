/** A finding: rows that prevent a change of their tables, or that lose data by it. */
import type { Executor, SchemaPrinter } from '../../databases/contract.js';

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

export interface Finding {
  readonly kind: FindingKind;
  readonly collection: string;
  /** Empty for a finding about the collection. */
  readonly fields: readonly string[];
  /** Number of rows; of duplicates, the number of values. */
  readonly rows: number;
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
  readonly printer: SchemaPrinter;
  readonly names: FormerNames;
}

/** Quotes a table by the name that it has now, which may be about to change. */
export const quoteTable = (table: string, { executor, names }: FindingContext): string =>
  executor.quote(names.table(table));

/** Quotes a column by the name that it has now, which may be about to change. */
export const quoteColumn = (table: string, column: string, { executor, names }: FindingContext): string =>
  executor.quote(names.column(table, column));

/** Returns the number of rows of a table that meet a condition. */
export const countRows = async (
  table: string,
  condition: string,
  context: FindingContext,
): Promise<number> => {
  const [row] = await context.executor.query(
    `select count(*) as n from ${quoteTable(table, context)} where ${condition}`,
  );
  return Number(row?.n ?? 0);
};
