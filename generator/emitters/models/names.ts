/** Which identifiers one generated file declares, and how it spells what it imports beside them. */
import type { Collection } from '../../model/types.js';
import type { Mapping } from './relation.js';

/** Turns the name of an import into the name this file uses for it. */
export type Local = (name: string) => string;

/** A table may be called `Model` or `fields`: everything else gives way to the names of collections. */
export const localNames = ({ names }: Collection, mappings: readonly Mapping[]): Local => {
  const taken = new Set([names.type, names.variable, ...mappings.map(({ target }) => target.names.type)]);
  return (name) => giveWay(name, taken);
};

/** `Model` → `svcModel`, or `svcModel2` where that is taken too. */
export const giveWay = (name: string, taken: ReadonlySet<string>): string => {
  if (!taken.has(name)) return name;
  let local = `svc${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  while (taken.has(local)) local += '2';
  return local;
};

/** `Model as svcModel` where they differ. */
export const importName = (name: string, local: Local): string =>
  local(name) === name ? name : `${name} as ${local(name)}`;
