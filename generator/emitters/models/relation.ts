/** Prints the relations of a collection, which the runtime and Objection share. */
import type { Collection, ManyToAny, ManyToOne, OneToMany, Relation } from '../../model/types.js';
import { array, call, object, pair, type Code } from '../../print/code.js';
import { objectKey, str } from '../../print/typescript.js';
import type { ToLocalName } from '../../print/names.js';

/** A relation that Objection can express. */
export interface Mapping {
  readonly relation: ManyToOne | OneToMany;
  readonly target: Collection;
}

export type CollectionsByName = ReadonlyMap<string, Collection>;

/**
 * Returns the relations that Objection can express: not many-to-any, and none to tables that are not
 * collections.
 */
export const mappingsOf = (collection: Collection, collections: CollectionsByName): Mapping[] =>
  collection.relations.flatMap((relation) => {
    const target = relation.kind === 'manyToAny' ? undefined : collections.get(relation.target);
    return relation.kind === 'manyToAny' || target === undefined ? [] : [{ relation, target }];
  });

/**
 * Returns whether a name is passed to the database unchanged: Objection and knex parse dots, colons, question
 * marks, `as` and outer spaces.
 */
const isSafeName = (name: string): boolean => !/[.:?]|\sas\s|^\s|\s$/iu.test(name);

/** Returns whether Objection can join the relation, which requires that every name is safe. */
export const isJoinable = ({ relation, target }: Mapping, collection: Collection): boolean =>
  [collection.name, target.name, ...relation.fields, ...relation.targetFields].every(isSafeName);

/**
 * Prints `ArtistId: svc.manyToOne('Artist', ['ArtistId'], ['ArtistId'], { property: 'artist' })`. A relation
 * that is not mapped has no property.
 */
export const printRelation = (
  relation: Relation,
  local: ToLocalName,
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
      const { target, fields, targetFields, constrained } = relation;
      const names = [str(target), printNames(fields), printNames(targetFields)];
      return withOptions(names, [constrained ? null : pair('unconstrained:', 'true'), ...options]);
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
  const present = options.filter((option) => option !== null);
  return present.length === 0 ? [...names] : [...names, object(present)];
};

const printToAny = ({ field, collectionField, targets }: ManyToAny): Code[] => [
  str(field),
  str(collectionField),
  printNames(targets),
];

/** Prints names as an array of string literals. */
export const printNames = (names: readonly string[]): Code => array(names.map(str));
