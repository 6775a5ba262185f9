/** Describes foreign keys, and relations of meta without one, as the relations of a snapshot. Pure. */
import type { Table } from '../../../generator/introspection/catalog.js';
import { compareText } from '../../../contract/text-order.js';
import type { ForeignKeyShape } from '../shapes.js';
import { metaOfRelation, rowsBy } from './meta.js';
import type { RelationEntry } from './types.js';
import type { LiveSchema } from './write.js';

/** Returns the relations of tables by collection and field. */
export const relationEntries = (tables: readonly Table[], schema: LiveSchema): readonly RelationEntry[] => {
  const rows = rowsBy(schema.catalog.meta.relations, 'many_collection', 'many_field');
  const shapes = new Map(schema.shapes.map((shape) => [shape.name, shape]));
  const keyed = new Set<string>();
  const entries = tables.flatMap(({ name }) =>
    (shapes.get(name)?.foreignKeys ?? []).map((key): RelationEntry => {
      const field = key.columns.join(',');
      keyed.add(`${name}\0${field}`);
      return {
        collection: name,
        field,
        related_collection: key.table,
        meta: metaOfRelation(rows.get(`${name}\0${field}`)),
        schema: relationSchema(name, key),
      };
    }),
  );
  const others = [...rows]
    .filter(([id, row]) => !keyed.has(id) && !schema.systemTables.has(String(row.many_collection)))
    .map(([, row]): RelationEntry => {
      const related = row.one_collection;
      return {
        collection: String(row.many_collection),
        field: String(row.many_field),
        related_collection: typeof related === 'string' ? related : null,
        meta: metaOfRelation(row),
        schema: null,
      };
    });
  return [...entries, ...others].toSorted(
    (a, b) => compareText(a.collection, b.collection) || compareText(a.field, b.field),
  );
};

/** Returns the `schema` of a relation; `column` is the first of several, which `columns` lists. */
export const relationSchema = (
  table: string,
  key: ForeignKeyShape,
): NonNullable<RelationEntry['schema']> => ({
  table,
  column: key.columns[0] ?? '',
  ...(key.columns.length > 1 && { columns: key.columns, references: key.references }),
  foreign_key_table: key.table,
  foreign_key_column: key.references[0] ?? '',
  constraint_name: key.name,
  on_update: key.onUpdate,
  on_delete: key.onDelete,
  ...(key.deferrable !== undefined && { deferrable: key.deferrable }),
});
