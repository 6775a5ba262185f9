/** Runs the writes of operations that take `dry_run`. */
import type { DryRun, ItemContext } from '../items/context.js';
import type { OperationContext } from './context.js';

interface DryRunOptions {
  readonly context: OperationContext;
  /** True where the write is only tried. */
  readonly isDryRun?: boolean | undefined;
}

/** Runs a write; where it is only tried, nothing is stored, and the response says so and how many rows it meets. */
export const tryOut = async <Result>(
  items: ItemContext,
  { context, isDryRun = false }: DryRunOptions,
  write: (items: ItemContext) => Promise<Result>,
): Promise<Result> => {
  if (!isDryRun) return write(items);
  const dryRun: DryRun = { rows: 0 };
  const result = await write({ ...items, dryRun });
  context.reportDryRun(dryRun);
  return result;
};
