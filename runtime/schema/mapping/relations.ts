/** Maps relations of a snapshot to another database. Pure. */
import type { RelationEntry } from '../snapshot/types.js';
import type { MappingRules } from './map-snapshot.js';

export const mapRelation = (
  entry: RelationEntry,
  { to, isSameVendor, notes }: MappingRules,
): RelationEntry => {
  const { schema, collection, field } = entry;
  if (isSameVendor || to.hasSetDefault || schema === null || schema === undefined) return entry;
  const map = (action: string, when: string): string => {
    if (action !== 'SET DEFAULT') return action;
    notes.losses.push({ collection, field, loss: `${when} does not set the default, and is refused` });
    return 'NO ACTION';
  };
  return {
    ...entry,
    schema: {
      ...schema,
      on_update: map(schema.on_update, 'an update of the related key'),
      on_delete: map(schema.on_delete, 'a delete of the related row'),
    },
  };
};
