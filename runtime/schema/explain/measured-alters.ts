/** Asks the server what the statements that alter tables take, on empty copies of the tables. */
import type { Database, MeasuredAlter, SchemaPrinter } from '../../databases/contract.js';
import type { TableShape } from '../shapes.js';
import type { ExactCost } from './table-changes.js';

/** The copies have no foreign keys: each foreign key has a statement of its own. */
const withoutKeys = (table: TableShape): TableShape => ({ ...table, foreignKeys: [] });

/**
 * Returns what altering a table takes, or null: where nothing is altered, or the server cannot tell.
 * @param measured tables with the names that they will have
 */
export const measureAlter = async (
  { before, after, former }: MeasuredAlter,
  { printer, database }: { readonly printer: SchemaPrinter; readonly database: Database },
): Promise<ExactCost | null> => {
  const measured = { before: withoutKeys(before), after: withoutKeys(after), former };
  if (printer.alterTable(measured.before, measured.after).length === 0) return null;
  return (await printer.measureAlter?.(measured, database)) ?? null;
};
