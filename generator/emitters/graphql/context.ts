/** The model and the names of its types, which all modules of this folder share, and the relations of a collection. */
import type { Collection, Field, ManyToAny, ManyToOne, Model, OneToMany } from '../../model/types.js';
import type { Directives } from '../../print/graphql.js';
import { createNameAllocator, nameTypes, type TypeNames } from './names.js';

export interface Context {
  readonly model: Model;
  /** Returns a collection by name, or undefined where the table is not served. */
  collection(name: string): Collection | undefined;
  typesOf(collection: Collection): TypeNames;
  /** Returns the name of the union of a many-to-any relation. */
  unionOf(collection: Collection, relation: ManyToAny): string;
  /** Returns the name of the filter of its items. */
  unionFilterOf(collection: Collection, relation: ManyToAny): string;
  /** Returns a text that changes when what the schema says of a collection may change. */
  identityOf(name: string): string;
}

/** A collection whose types are defined. */
export interface Subject {
  readonly collection: Collection;
  readonly context: Context;
}

/** Names all types of a model at once, so that no two have the same name. */
export const createContext = (model: Model): Context => {
  const collections = new Map(model.collections.map((collection) => [collection.name, collection]));
  const types = nameTypes(model);
  return {
    model,
    collection: (name) => collections.get(name),
    typesOf: ({ name }) => types.get(name) as TypeNames,
    unionOf: ({ name }, relation) => types.get(name)?.unions.get(relation.name) as string,
    unionFilterOf: ({ name }, relation) => types.get(name)?.unionFilters.get(relation.name) as string,
    identityOf: (name) => `${collections.get(name)?.hash} ${types.get(name)?.identity}`,
  };
};

/** Returns a context that calls `see` with the name of each collection that is looked up. */
export const watchContext = (context: Context, see: (name: string) => void): Context => ({
  ...context,
  collection(name) {
    see(name);
    return context.collection(name);
  },
  typesOf(collection) {
    see(collection.name);
    return context.typesOf(collection);
  },
  unionOf(collection, relation) {
    see(collection.name);
    return context.unionOf(collection, relation);
  },
  unionFilterOf(collection, relation) {
    see(collection.name);
    return context.unionFilterOf(collection, relation);
  },
});

/** Returns the directive with the name in the database, where GraphQL requires another spelling. */
export const nameDirective = ({
  name,
  graphql,
}: {
  readonly name: string;
  readonly graphql: string;
}): Directives => (name === graphql ? {} : { name });

/** A relation and the collection that it leads to. */
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

/** A many-to-any relation and the collections that its items may belong to. */
export interface AnyLink {
  readonly relation: ManyToAny;
  readonly targets: readonly AnyLinkTarget[];
}

export interface AnyLinkTarget {
  /** The name in filters and inputs, such as `item__works`. */
  readonly graphql: string;
  /** The name in queries and payloads, such as `item:works`. */
  readonly name: string;
  readonly target: Collection;
}

/** Returns the many-to-any relations, with the names of their targets, which avoid those of other fields. */
export const anyLinksOf = (
  { fields, relations }: Collection,
  { collection }: Context,
): readonly AnyLink[] => {
  const allocate = createNameAllocator([...fields, ...relations].map(({ graphql }) => graphql));
  return relations.flatMap((relation): readonly AnyLink[] => {
    if (relation.kind !== 'manyToAny') return [];
    const targets = relation.targets.flatMap((name): readonly AnyLinkTarget[] => {
      const target = collection(name);
      if (target === undefined) return [];
      const graphql = allocate(`${relation.graphql}__${target.names.graphql}`);
      return [{ graphql, name: `${relation.name}:${name}`, target }];
    });
    return targets.length === 0 ? [] : [{ relation, targets }];
  });
};

/** Returns the many-to-one relation that has the name of a column. */
export const columnLink = (field: Field, links: readonly Link[]): Link | undefined =>
  links.find(({ relation }) => relation.name === field.name && relation.kind === 'manyToOne');
