/** Marks the tables in which an insert may do more than store its row. */
import type { Table } from './catalog.js';

/** A row per table that has triggers or rules. */
export interface TriggerRow {
  readonly table: string;
}

/** Returns the tables, those with triggers as copies with `triggers: true`. Views are never marked. */
export const markTriggers = (tables: readonly Table[], hasTriggers: (table: string) => boolean): Table[] =>
  tables.map((table) =>
    table.kind === 'table' && hasTriggers(table.name) ? { ...table, triggers: true } : table,
  );
