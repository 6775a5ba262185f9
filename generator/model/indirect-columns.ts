/** Names the columns that a payload may leave out because a relation of another name sets them. */
import type { Collection, ManyToOne, Relation } from './types.js';

/**
 * Returns the columns that an item in place of a key sets under the name of its relation: those of keys of several columns,
 * and the two of a many-to-any relation.
 */
export const indirectColumns = ({ fields, relations }: Collection): ReadonlySet<string> => {
  const columns = new Set(fields.map(({ name }) => name));
  return new Set(
    relations.flatMap((relation) => {
      if (relation.kind === 'manyToAny') return [relation.field, relation.collectionField];
      return isIndirect(relation, columns) ? relation.fields : [];
    }),
  );
};

/** Returns the many-to-one relations that have a name of their own, since their key has several columns. */
export const indirectParents = ({ fields, relations }: Collection): readonly ManyToOne[] => {
  const columns = new Set(fields.map(({ name }) => name));
  return relations.filter((relation): relation is ManyToOne => isIndirect(relation, columns));
};

const isIndirect = (relation: Relation, columns: ReadonlySet<string>): relation is ManyToOne =>
  relation.kind === 'manyToOne' && !columns.has(relation.name);
