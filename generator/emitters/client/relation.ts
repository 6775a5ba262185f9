/** Relations as types, and which collections a client can reach. */
import type { Collection, ManyToOne, OneToMany } from '../../model/types.js';
import { generic, union, type Code } from '../../print/code.js';
import { str } from '../../print/typescript.js';

/** Collections that have a path, by name. */
export type Served = ReadonlyMap<string, Collection>;

export const servedCollections = (collections: readonly Collection[]): Served =>
  new Map(collections.filter(({ path }) => path !== null).map((each) => [each.name, each]));

/** What `items` gives: everything, a list only, one item only. */
export const kindOf = ({ key, singleton }: Collection): 'table' | 'view' | 'singleton' => {
  if (key.length === 0) return 'view';
  return singleton ? 'singleton' : 'table';
};

/** A relation that `fields` can follow. */
export type Reachable = ManyToOne | OneToMany;

export const reachableRelations = ({ relations }: Collection, served: Served): readonly Reachable[] =>
  relations.filter((relation) => relation.kind !== 'manyToAny').filter(({ target }) => served.has(target));

/** `svc.One<'Artist'>`, or null where the row may name none. */
export const relationType = (relation: Reachable, { fields }: Collection): string => {
  if (relation.kind === 'oneToMany') return `svc.Many<${str(relation.target)}>`;
  const isNullable = fields.some((field) => field.nullable && relation.fields.includes(field.name));
  return `svc.One<${str(relation.target)}>${isNullable ? ' | null' : ''}`;
};

/** Lists that are written through their owner. */
export const writtenLists = (collection: Collection, served: Served): readonly OneToMany[] =>
  reachableRelations(collection, served)
    .filter((relation) => relation.kind === 'oneToMany')
    .filter(({ written }) => written);

/** `svc.WrittenList<'Track', 'AlbumId'>`: a row is of its owner by these fields. */
export const writtenListType = ({ target, targetFields }: OneToMany): Code =>
  generic('svc.WrittenList', [str(target), union(targetFields.map(str))]);

export const relationFilterType = ({ kind, target }: Reachable): string =>
  kind === 'oneToMany' ? `svc.ManyFilter<${str(target)}>` : `svc.Filter<${str(target)}>`;
