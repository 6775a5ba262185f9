/** What the types of a collection and its fields at the root are called. */
import type { Collection, Model } from '../../model/types.js';

export interface TypeNames {
  readonly item: string;
  readonly filter: string;
  /** Filter of a list: of its items, or of how many there are. */
  readonly quantifier: string;
  readonly create: string;
  readonly update: string;
}

/** Derived names give way to those of collections: a table may itself be called `works_filter`. */
export const nameTypes = ({ collections }: Model): ReadonlyMap<string, TypeNames> => {
  const free = createGiver(collections.map(({ names }) => names.graphql));
  return new Map(
    collections.map(({ name, names: { graphql: item } }) => [
      name,
      {
        item,
        filter: free(`${item}_filter`),
        quantifier: free(`${item}_quantifier_filter`),
        create: free(`create_${item}_input`),
        update: free(`update_${item}_input`),
      },
    ]),
  );
};

/** Gives each name once: the second time with `_` behind it. */
export const createGiver = (given: Iterable<string>): ((name: string) => string) => {
  const taken = new Set(given);
  return (name) => {
    let found = name;
    while (taken.has(found)) found += '_';
    taken.add(found);
    return found;
  };
};

/** `/graphql/system` drops the prefix of system collections in its fields; types keep it. */
export const stemOf = ({ system, names: { graphql } }: Collection): string =>
  system ? graphql.replace(/^svc_/, '') : graphql;
