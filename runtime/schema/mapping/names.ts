/** Gives indexes and constraints names of their own where two of different tables have the same one. Pure. */
import type { Snapshot } from '../snapshot/types.js';
import type { SchemaMapping } from './types.js';

interface Named {
  readonly name: string;
}

type Rename = <Item extends Named>(table: string, item: Item) => Item;

/** Returns a function that puts the table before a name that is taken, where names are those of the whole schema. */
const createRename = (isShared: boolean, names: readonly string[] = []): Rename => {
  const taken = new Set(names);
  return (table, item) => {
    if (!isShared) return item;
    const name = taken.has(item.name) ? `${table}_${item.name}` : item.name;
    taken.add(name);
    return { ...item, name };
  };
};

/** Renames indexes and constraints where the target requires names that are unique in the schema. */
export const uniqueNames = (snapshot: Snapshot, to: SchemaMapping): Snapshot => {
  // an index has no name of a table either
  const tables = snapshot.collections.map(({ collection }) => collection);
  const renameIndex = createRename(to.indexes.sharedNames, tables);
  const renameConstraint = createRename(to.hasSharedConstraintNames);
  return {
    ...snapshot,
    collections: snapshot.collections.map((entry) => {
      const { collection, schema } = entry;
      if (schema === null || schema === undefined) return entry;
      const { uniques, indexes, checks } = schema;
      return {
        ...entry,
        schema: {
          ...schema,
          ...(uniques && { uniques: uniques.map((item) => renameIndex(collection, item)) }),
          ...(indexes && { indexes: indexes.map((item) => renameIndex(collection, item)) }),
          ...(checks && { checks: checks.map((item) => renameConstraint(collection, item)) }),
        },
      };
    }),
    relations: snapshot.relations.map((entry) => {
      const { collection, schema } = entry;
      const name = schema?.constraint_name ?? null;
      if (schema === null || schema === undefined || name === null) return entry;
      const renamed = renameConstraint(collection, { name });
      return { ...entry, schema: { ...schema, constraint_name: renamed.name } };
    }),
  };
};
