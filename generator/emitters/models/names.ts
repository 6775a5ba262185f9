/** Which identifiers the file of a collection declares. */
import type { Collection } from '../../model/types.js';
import { giveWay, type Local } from '../../print/names.js';
import type { Mapping } from './relation.js';

/** A table may be called `Model` or `fields`: everything else gives way to the names of collections. */
export const localNames = ({ names }: Collection, mappings: readonly Mapping[]): Local => {
  const taken = new Set([names.type, names.variable, ...mappings.map(({ target }) => target.names.type)]);
  return (name) => giveWay(name, taken);
};
