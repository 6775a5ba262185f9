/** Relations of a collection: declared once, for the runtime and for Objection. */
import type { Collection, ManyToAny, ManyToOne, OneToMany, Relation } from '../../model/types.js';
import { array, call, object, pair, type Code } from '../../print/code.js';
import { objectKey, str } from '../../print/typescript.js';
import type { Local } from './names.js';

/** A relation that Objection can express. */
export interface Mapping {
  readonly relation: ManyToOne | OneToMany;
  readonly target: Collection;
}

export type CollectionsByName = ReadonlyMap<string, Collection>;

/** Many-to-any has no counterpart in Objection; targets that are no collections have no class. */
export const mappingsOf = (collection: Collection, collections: CollectionsByName): Mapping[] =>
  collection.relations.flatMap((relation) => {
    const target = relation.kind === 'manyToAny' ? undefined : collections.get(relation.target);
    return relation.kind === 'manyToAny' || target === undefined ? [] : [{ relation, target }];
  });

/** Objection and knex read dots, colons, question marks, `as` and outer spaces in names as syntax. */
const isSayable = (name: string): boolean => !/[.:?]|\sas\s|^\s|\s$/iu.test(name);

/** Whether every name in the join reaches the database as it is. */
export const isJoinable = ({ relation, target }: Mapping, collection: Collection): boolean =>
  [collection.name, target.name, ...relation.fields, ...relation.targetFields].every(isSayable);

/** `ArtistId: svc.manyToOne('Artist', ['ArtistId'], ['ArtistId'], { property: 'artist' })`; a relation that is not mapped has no property. */
export const printRelation = (
  relation: Relation,
  local: Local,
  { isMapped }: { readonly isMapped: boolean },
): Code => {
  const { name, property } = relation;
  const options = isMapped && property !== name ? [pair('property:', str(property))] : [];
  return pair(
    `${objectKey(name)}:`,
    call(`${local('svc')}.${relation.kind}`, printArguments(relation, options)),
  );
};

const printArguments = (relation: Relation, options: readonly Code[]): Code[] => {
  switch (relation.kind) {
    case 'manyToOne': {
      const { target, fields, targetFields } = relation;
      const names = [str(target), printNames(fields), printNames(targetFields)];
      return withOptions(names, options);
    }
    case 'oneToMany':
      return printToMany(relation, options);
    case 'manyToAny':
      return printToAny(relation);
  }
};

const printToMany = (relation: OneToMany, options: readonly Code[]): Code[] => {
  const { junctionField, sortField, deselect, meta } = relation;
  const names = [str(relation.target), printNames(relation.targetFields), printNames(relation.fields)];
  return withOptions(names, [
    junctionField === null ? null : pair('junctionField:', str(junctionField)),
    sortField === null ? null : pair('sortField:', str(sortField)),
    deselect === 'delete' ? pair('deselect:', str(deselect)) : null,
    meta ? pair('listed:', 'true') : null,
    ...options,
  ]);
};

const withOptions = (names: readonly Code[], options: readonly (Code | null)[]): Code[] => {
  const given = options.filter((option) => option !== null);
  return given.length === 0 ? [...names] : [...names, object(given)];
};

const printToAny = ({ field, collectionField, targets }: ManyToAny): Code[] => [
  str(field),
  str(collectionField),
  printNames(targets),
];

export const printNames = (names: readonly string[]): Code => array(names.map(str));
