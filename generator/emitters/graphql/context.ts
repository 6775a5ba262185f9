/** The context that is shared while a schema is built. */
import type { Collection, Field, ManyToOne, Model, OneToMany } from '../../model/types.js';
import type { Directives } from '../../print/graphql.js';
import { nameTypes, type TypeNames } from './names.js';

export interface Context {
  readonly model: Model;
  /** Returns a collection by name, or undefined where the table is not served. */
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

/** Returns the directive with the name in the database, where GraphQL requires another spelling. */
export const nameDirective = ({
  name,
  graphql,
}: {
  readonly name: string;
  readonly graphql: string;
}): Directives => (name === graphql ? {} : { name });

export interface Link {
  readonly relation: ManyToOne | OneToMany;
  readonly target: Collection;
}

/** Returns the relations whose target is a collection. */
export const linksOf = ({ relations }: Collection, { collection }: Context): readonly Link[] =>
  relations.flatMap((relation) => {
    const target = relation.kind === 'manyToAny' ? undefined : collection(relation.target);
    return relation.kind === 'manyToAny' || target === undefined ? [] : [{ relation, target }];
  });

/** Returns the many-to-one relation that has the name of a column. */
export const columnLink = (field: Field, links: readonly Link[]): Link | undefined =>
  links.find(({ relation }) => relation.name === field.name && relation.kind === 'manyToOne');
