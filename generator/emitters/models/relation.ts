/** Relations of a collection, once for the runtime (declarations) and once for Objection (mappings). */
import type { Collection, ManyToAny, ManyToOne, OneToMany, Relation } from '../../model/types.js';
import { array, call, object, pair, type Code } from '../../print/code.js';
import { objectKey, str } from '../../print/typescript.js';
import type { Local } from '../../print/names.js';

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

/** `artist: { relation: …, modelClass: …, join: … }` */
export const printMapping = ({ relation, target }: Mapping, collection: Collection, local: Local): Code => {
  const kind = relation.kind === 'manyToOne' ? 'BelongsToOneRelation' : 'HasManyRelation';
  const join = object([
    pair('from:', printColumns(collection.name, relation.fields)),
    pair('to:', printColumns(target.name, relation.targetFields)),
  ]);
  const entries = [
    pair('relation:', `${local('Model')}.${kind}`),
    pair('modelClass:', target.names.type),
    pair('join:', join),
  ];
  return pair(`${objectKey(relation.modelName)}:`, object(entries, { expand: true }));
};

/** `ArtistId: svc.manyToOne('Artist', ['ArtistId'], ['ArtistId'])` */
export const printRelation = (relation: Relation, local: Local): Code =>
  pair(`${objectKey(relation.name)}:`, call(`${local('svc')}.${relation.kind}`, printArguments(relation)));

const printArguments = (relation: Relation): Code[] => {
  switch (relation.kind) {
    case 'manyToOne':
      return [str(relation.target), printNames(relation.fields), printNames(relation.targetFields)];
    case 'oneToMany':
      return printToMany(relation);
    case 'manyToAny':
      return printToAny(relation);
  }
};

const printToMany = (relation: OneToMany): Code[] => {
  const { junctionField, sortField, deselect, meta } = relation;
  const options = [
    junctionField === null ? null : pair('junctionField:', str(junctionField)),
    sortField === null ? null : pair('sortField:', str(sortField)),
    deselect === 'delete' ? pair('deselect:', str(deselect)) : null,
    meta ? pair('listed:', 'true') : null,
  ].filter((option) => option !== null);
  const names = [str(relation.target), printNames(relation.targetFields), printNames(relation.fields)];
  return options.length === 0 ? names : [...names, object(options)];
};

const printToAny = ({ field, collectionField, targets }: ManyToAny): Code[] => [
  str(field),
  str(collectionField),
  printNames(targets),
];

const printColumns = (table: string, columns: readonly string[]): Code => {
  const names = columns.map((column) => str(`${table}.${column}`));
  return names.length === 1 ? (names[0] ?? '') : array(names);
};

export const printNames = (names: readonly string[]): Code => array(names.map(str));
