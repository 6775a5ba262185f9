/** Brings the schemas of a snapshot into the form in which the target describes its own. Pure. */
import type { TableShape } from '../shapes.js';
import { snapshotToShapes } from '../snapshot/shapes.js';
import { collectionSchema, type LiveSchema } from '../snapshot/write.js';
import { fieldSchema } from '../snapshot/write-fields.js';
import { relationSchema } from '../snapshot/write-relations.js';
import type { Snapshot } from '../snapshot/types.js';

const byName = (tables: readonly TableShape[]): ReadonlyMap<string, TableShape> =>
  new Map(tables.map((table) => [table.name, table]));

/**
 * Returns a snapshot in the form in which the database would report it.
 * @param current the target's own snapshot, after renames
 */
export const normalizeSnapshot = (wanted: Snapshot, current: Snapshot, live: LiveSchema): Snapshot => {
  const { printer, collation } = live;
  const present = snapshotToShapes(current, { printer, collation, current: byName(live.shapes) });
  const context = { printer, collation, current: byName(present) };
  const tables = byName(snapshotToShapes(wanted, context));
  return {
    ...wanted,
    collections: wanted.collections.map((entry) => {
      const table = tables.get(entry.collection);
      return table === undefined ? entry : { ...entry, schema: collectionSchema(table) };
    }),
    fields: wanted.fields.map((entry) => {
      const table = tables.get(entry.collection);
      const column = table?.columns.find(({ name }) => name === entry.field);
      if (table === undefined || column === undefined) return entry;
      return { ...entry, schema: fieldSchema(column, table, printer) };
    }),
    relations: wanted.relations.map((entry) => {
      const key = tables
        .get(entry.collection)
        ?.foreignKeys.find(({ columns }) => columns.join() === entry.field);
      if (key === undefined || entry.schema === null || entry.schema === undefined) return entry;
      return { ...entry, schema: relationSchema(entry.collection, key) };
    }),
  };
};
