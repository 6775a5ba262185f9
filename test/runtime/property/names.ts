/** Names in queries: what they stand for, and who may use them. */
import type { Collection, Relation, ToAny, ToOne } from '../../../contract/collection.js';
import type { FilterTree } from './filters.js';
import type { ItemsQuery, ListQuery } from './queries.js';
import { canRead, mayUse, type Place } from './visible.js';

/** Named something that is not there for the viewer. */
export class Forbidden extends Error {}

/** Names below names, as in `fields`. */
export interface NameTree extends Map<string, NameTree> {}

export const toTree = (paths: readonly string[]): NameTree => {
  const root: NameTree = new Map();
  for (const path of paths) {
    let tree = root;
    for (const name of path.split('.')) {
      const next: NameTree = tree.get(name) ?? new Map();
      tree.set(name, next);
      tree = next;
    }
  }
  return root;
};

const mergeTrees = (into: NameTree, from: NameTree): void => {
  for (const [name, below] of from) {
    const present = into.get(name);
    if (present === undefined) into.set(name, structuredClone(below));
    else mergeTrees(present, below);
  }
};

/** With `*` replaced by the names it stands for; nothing at all is `*`. */
export const openStars = (tree: NameTree, { world, collection }: Place): NameTree => {
  const opened: NameTree = new Map();
  for (const [name, below] of tree.size === 0 ? toTree(['*']) : tree) {
    if (name !== '*') mergeTrees(opened, new Map([[name, below]]));
    else {
      for (const each of starNames(collection).filter((candidate) => mayUse(world, collection, candidate))) {
        const isStep = collection.relations.has(each) && mayFollow(each, { world, collection });
        mergeTrees(opened, new Map([[each, isStep ? below : new Map()]]));
      }
    }
  }
  return opened;
};

/** A many-to-any relation is followed by the name of the collection too. */
const mayFollow = (name: string, { world, collection }: Place): boolean => {
  const relation = collection.relations.get(name);
  return (
    relation?.kind !== 'manyToAny' ||
    relation.targets.every((target) => mayUse(world, collection, target.name))
  );
};

const starNames = ({ fields, relations }: Collection): readonly string[] => [
  ...fields.keys(),
  ...[...relations.values()].flatMap((relation) =>
    relation.kind === 'oneToMany' && relation.listed === true ? [relation.name] : [],
  ),
];

/** A relation to where nothing may be read is left out. */
export const isHidden = (
  relation: Relation | undefined,
  below: NameTree,
  { world, collection }: Place,
): boolean =>
  relation !== undefined &&
  relation.kind !== 'manyToAny' &&
  !(relation.kind === 'manyToOne' && below.size === 0 && collection.fields.has(relation.name)) &&
  !canRead(world, relation.collection);

/** Selected fields of a row, and the parameters of its lists. */
export interface Shape {
  readonly tree: NameTree;
  readonly deep: Readonly<Record<string, ListQuery>>;
}

/** Every name has to be one that the viewer may use, whether or not there are rows. @throws Forbidden */
export const checkQuery = (query: ItemsQuery, place: Place): void => {
  if (!canRead(place.world, place.collection)) throw new Forbidden();
  checkList(query, place);
  checkFields({ tree: toTree(query.fields ?? []), deep: query.deep ?? {} }, place);
};

const checkList = ({ filter, sort = [] }: ListQuery, place: Place): void => {
  if (filter !== undefined) checkFilter(filter, place);
  for (const { path } of sort) checkPath(path, place);
};

const require = (isAllowed: boolean): void => {
  if (!isAllowed) throw new Forbidden();
};

/** @throws Forbidden */
export const checkPath = ([name = '', ...rest]: readonly string[], { world, collection }: Place): void => {
  require(mayUse(world, collection, name));
  if (rest.length === 0) return;
  const relation = (collection.relations.get(name) ?? collection.anyTargets.get(name)) as ToOne;
  require(canRead(world, relation.collection));
  checkPath(rest, { world, collection: relation.collection });
};

const checkFilter = (filter: FilterTree, { world, collection }: Place): void => {
  if ('parts' in filter) return filter.parts.forEach((part) => checkFilter(part, { world, collection }));
  if (filter.kind === 'compare') return require(mayUse(world, collection, filter.field.name));
  require(mayUse(world, collection, filter.relation.name) && canRead(world, filter.relation.collection));
  if (filter.filter !== null) checkFilter(filter.filter, { world, collection: filter.relation.collection });
};

/** Selection of each target of a many-to-any relation; null: the key alone. Null where no target is. */
export const selectionsOf = (
  { name, targets }: ToAny,
  opened: NameTree,
): ReadonlyMap<ToOne, NameTree | null> | null => {
  const every = opened.get(name) ?? new Map();
  const isAny = every.size > 0 || targets.some((target) => opened.has(target.name));
  if (!isAny) return null;
  return new Map(
    targets.map((target) => {
      const own = opened.get(target.name);
      if (own === undefined && every.size === 0) return [target, null];
      const tree: NameTree = new Map();
      mergeTrees(tree, every);
      if (own !== undefined) mergeTrees(tree, own.size === 0 ? toTree(['*']) : own);
      return [target, tree];
    }),
  );
};

const checkAny = (relation: ToAny, { tree, deep }: Shape, { world, collection }: Place): void => {
  for (const [target, below] of selectionsOf(relation, tree) ?? []) {
    require(mayUse(world, collection, target.name));
    if (!canRead(world, target.collection)) continue;
    const inner = { world, collection: target.collection };
    const query = deep[target.name] ?? {};
    checkList({ filter: query.filter }, inner);
    if (below !== null) checkFields({ tree: below, deep: query.deep ?? {} }, inner);
  }
};

const checkFields = ({ tree, deep }: Shape, place: Place): void => {
  const { world, collection } = place;
  for (const name of Object.keys(deep)) require(mayUse(world, collection, name));
  const opened = openStars(tree, place);
  for (const relation of collection.relations.values()) {
    if (relation.kind === 'manyToAny') checkAny(relation, { tree: opened, deep }, place);
  }
  for (const [name, below] of opened) {
    require(mayUse(world, collection, name));
    if (collection.anyTargets.has(name)) continue;
    const relation = collection.relations.get(name);
    if (relation === undefined || relation.kind === 'manyToAny' || isHidden(relation, below, place)) continue;
    if (relation.kind === 'manyToOne' && below.size === 0 && collection.fields.has(name)) continue;
    const inner = { world, collection: relation.collection };
    const query = deep[name] ?? {};
    checkList(relation.kind === 'oneToMany' ? query : { filter: query.filter }, inner);
    if (relation.kind === 'manyToOne' || below.size > 0)
      checkFields({ tree: below, deep: query.deep ?? {} }, inner);
  }
};
