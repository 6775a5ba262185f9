/** What the parts of a schema share while it is put together. */
import type { Collection, Field, ManyToOne, Model, OneToMany } from '../../model/types.js';
import type { Directives } from '../../print/graphql.js';
import { nameTypes, type TypeNames } from './names.js';

export interface Context {
  readonly model: Model;
  /** `undefined`: the table is not served. */
  collection(name: string): Collection | undefined;
  typesOf(collection: Collection): TypeNames;
}

export const createContext = (model: Model): Context => {
  const collections = new Map(model.collections.map((collection) => [collection.name, collection]));
  const types = nameTypes(model);
  return {
    model,
    collection: (name) => collections.get(name),
    typesOf: ({ name }) => types.get(name) as TypeNames,
  };
};

/** The name that the database knows, where GraphQL spells it differently. */
export const spelled = ({ name, graphql }: { readonly name: string; readonly graphql: string }): Directives =>
  name === graphql ? {} : { name };

export interface Link {
  readonly relation: ManyToOne | OneToMany;
  readonly target: Collection;
}

/** Relations that lead somewhere. */
export const linksOf = ({ relations }: Collection, { collection }: Context): readonly Link[] =>
  relations.flatMap((relation) => {
    const target = relation.kind === 'manyToAny' ? undefined : collection(relation.target);
    return relation.kind === 'manyToAny' || target === undefined ? [] : [{ relation, target }];
  });

/** The many-to-one that stands under the name of a column. */
export const linkOf = (field: Field, links: readonly Link[]): Link | undefined =>
  links.find(({ relation }) => relation.name === field.name && relation.kind === 'manyToOne');
