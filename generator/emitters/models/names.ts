/** Names the identifiers that the file of a collection declares. */
import type { Collection } from '../../model/types.js';
import { avoidCollision, type ToLocalName } from '../../print/names.js';
import type { Mapping } from './relation.js';

/**
 * Returns a function that renames identifiers which collide with a collection: a table may be called `Model`
 * or `fields`.
 */
export const localNames = ({ names }: Collection, mappings: readonly Mapping[]): ToLocalName => {
  const taken = new Set([names.type, names.variable, ...mappings.map(({ target }) => target.names.type)]);
  return (name) => avoidCollision(name, taken);
};
