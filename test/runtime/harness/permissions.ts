/** Permissions that tests give to whole collections. */
import type { TestPermission } from '../server-harness.js';

const all: readonly TestPermission['action'][] = ['create', 'read', 'update', 'delete'];

/** Returns the permissions for every field of every row of a collection. */
export const everything = (collection: string, actions = all): readonly TestPermission[] =>
  actions.map((action) => ({ collection, action, fields: ['*'] }));
