/** Returns the types of relations, and the collections that a client can reach. */
import type { Collection, ManyToOne, OneToMany } from '../../model/types.js';
import { generic, union, type Code } from '../../print/code.js';
import { str } from '../../print/typescript.js';

/** Collections that have a path, by name. */
export type ServedCollections = ReadonlyMap<string, Collection>;

/** Returns the collections that have routes, by name. */
export const servedCollections = (collections: readonly Collection[]): ServedCollections =>
  new Map(collections.filter(({ path }) => path !== null).map((collection) => [collection.name, collection]));

/** Returns the kind of handle that `items` returns: all operations, a list only, or a single item. */
export const clientKind = ({ key, singleton }: Collection): 'table' | 'view' | 'singleton' => {
  if (key.length === 0) return 'view';
  return singleton ? 'singleton' : 'table';
};

/** A relation that `fields` can select. */
export type ReachableRelation = ManyToOne | OneToMany;

/** Returns the relations to collections that are served; many-to-any relations have types of their own. */
export const reachableRelations = (
  { relations }: Collection,
  served: ServedCollections,
): readonly ReachableRelation[] =>
  relations.filter((relation) => relation.kind !== 'manyToAny').filter(({ target }) => served.has(target));

/**
 * Returns the type of a relation, such as `svc.One<'Artist'>`, with null where a column of the key is
 * nullable.
 */
export const relationType = (relation: ReachableRelation, { fields }: Collection): string => {
  if (relation.kind === 'oneToMany') return `svc.Many<${str(relation.target)}>`;
  const isNullable = fields.some((field) => field.nullable && relation.fields.includes(field.name));
  return `svc.One<${str(relation.target)}>${isNullable ? ' | null' : ''}`;
};

/** Returns the lists that can be written through their owner. */
export const writtenLists = (collection: Collection, served: ServedCollections): readonly OneToMany[] =>
  reachableRelations(collection, served)
    .filter((relation) => relation.kind === 'oneToMany')
    .filter(({ written }) => written);

/** Returns a type such as `svc.WrittenList<'Track', 'AlbumId'>`, with the fields that refer to the owner. */
export const writtenListType = ({ target, targetFields }: OneToMany): Code =>
  generic('svc.WrittenList', [str(target), union(targetFields.map(str))]);

/** Returns the type of a relation in filters: a list also takes quantifiers, such as `_some`. */
export const relationFilterType = ({ kind, target }: ReachableRelation): string =>
  kind === 'oneToMany' ? `svc.ManyFilter<${str(target)}>` : `svc.Filter<${str(target)}>`;

/** A many-to-any relation, with the targets that a client can reach. */
export interface AnyRelation {
  readonly name: string;
  readonly collectionField: string;
  readonly reachable: readonly string[];
}

/** Returns the many-to-any relations; a target has one key, as at run time. */
export const anyRelations = ({ relations }: Collection, served: ServedCollections): readonly AnyRelation[] =>
  relations
    .filter((relation) => relation.kind === 'manyToAny')
    .map(({ name, collectionField, targets }) => ({
      name,
      collectionField,
      reachable: targets.filter((target) => served.get(target)?.key.length === 1),
    }))
    .filter(({ reachable }) => reachable.length > 0);

/** Returns the types of items that are written with the key that refers to them, by the field of the key. */
export const writtenOnes = (collection: Collection, served: ServedCollections): ReadonlyMap<string, Code> => {
  const targets = [
    ...reachableRelations(collection, served).flatMap(({ kind, name, fields, target }) =>
      kind === 'manyToOne' && fields[0] === name ? [[name, [target]] as const] : [],
    ),
    ...anyRelations(collection, served).map(({ name, reachable }) => [name, reachable] as const),
  ];
  return new Map(
    targets
      .map(([name, all]) => [name, all.filter((target) => isTable(target, served))] as const)
      .filter(([, tables]) => tables.length > 0)
      .map(([name, tables]) => [name, writtenOneType(tables)]),
  );
};

/** Returns a type such as `svc.WrittenOne<'Artist'>`. */
export const writtenOneType = (targets: readonly string[]): Code =>
  generic('svc.WrittenOne', [union(targets.map(str))]);

/** Returns whether items of a collection can be created and changed by their keys. */
export const isTable = (name: string, served: ServedCollections): boolean => {
  const collection = served.get(name);
  return collection !== undefined && clientKind(collection) === 'table';
};
