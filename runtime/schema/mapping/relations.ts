/** Maps relations of a snapshot to another database. Pure. */
import type { RelationEntry } from '../snapshot/types.js';
import type { MappingRules } from './map-snapshot.js';

/** Maps a relation to another database, and notes what is lost. */
export const mapRelation = (
  entry: RelationEntry,
  { to, isSameVendor, notes }: MappingRules,
): RelationEntry => {
  const { schema, collection, field } = entry;
  if (isSameVendor || schema === null || schema === undefined) return entry;
  const lose = (loss: string): void => void notes.losses.push({ collection, field, loss });
  const map = (action: string, when: string): string => {
    if (to.hasSetDefault || action !== 'SET DEFAULT') return action;
    lose(`${when} does not set the default, and is refused`);
    return 'NO ACTION';
  };
  const { deferrable, ...rest } = schema;
  const isDeferrable = deferrable !== undefined && deferrable !== null;
  if (isDeferrable && to.deferrableRelations === 'none') lose('every statement checks it, not the commit');
  return {
    ...entry,
    schema: {
      ...rest,
      on_update: map(schema.on_update, 'an update of the related key'),
      on_delete: map(schema.on_delete, 'a delete of the related row'),
      ...(isDeferrable && to.deferrableRelations !== 'none' && { deferrable }),
    },
  };
};
