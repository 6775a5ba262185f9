/** Assigns GraphQL and Objection names to fields and relations, and reports collisions. */
import { suggest } from '../spec/faults.js';
import type { CollectionSpec } from '../spec/types.js';
import type { BareField } from './fields.js';
import type { Findings, ModelFault } from './findings.js';
import { positionToText } from '../spec/faults.js';
import { placeOf } from './meta.js';
import { graphqlName, relationProperty, specFileOf, yamlWord } from './naming.js';
import type { BareRelation } from './relations.js';
import type { Collection, CollectionNames, Field, Relation } from './types.js';

interface Bare {
  readonly fields: readonly BareField[];
  readonly relations: readonly BareRelation[];
}

/** @param file spec of the collection, which may choose names */
export const spell = (
  name: string,
  { fields, relations }: Bare,
  { file, findings }: { file: CollectionSpec | undefined; findings: Findings },
): Pick<Collection, 'fields' | 'relations'> => {
  const chosen = file?.names.fields ?? new Map<string, string>();
  const graphqlOf = (key: string): string => chosen.get(key) ?? graphqlName(key);
  const keys = [...new Set([...fields, ...relations].map((part) => part.name))];
  findings.faults.push(
    ...unknownChoices(file, keys),
    ...namedAsStars(name, keys),
    ...sameInGraphql(name, keys, graphqlOf),
  );
  return {
    fields: fields.map((field): Field => ({ ...field, graphql: graphqlOf(field.name) })),
    relations: spellRelations(relations, new Set(fields.map((field) => field.name)), graphqlOf),
  };
};

const spellRelations = (
  relations: readonly BareRelation[],
  fields: ReadonlySet<string>,
  graphqlOf: (key: string) => string,
): Relation[] => {
  const taken = new Set(fields);
  return relations.map((relation): Relation => {
    const property = relationProperty(relation.name, { many: relation.kind === 'oneToMany', taken });
    taken.add(property);
    return { ...relation, graphql: graphqlOf(relation.name), property };
  });
};

const unknownChoices = (file: CollectionSpec | undefined, keys: readonly string[]): ModelFault[] =>
  [...(file?.names.fields.keys() ?? [])]
    .filter((key) => file !== undefined && !keys.includes(key))
    .map((key) => ({
      where: whereIn(file, ['names', 'fields', key]),
      message: `"${file?.collection}" has no field or relation "${key}"`,
      remedy: suggest(key, keys, 'name one of its columns or relations'),
    }));

/** In `fields`, and in permissions, `*` stands for every column. */
const namedAsStars = (collection: string, keys: readonly string[]): ModelFault[] =>
  keys
    .filter((key) => key === '*' || key.startsWith('*.'))
    .map((key) => ({
      where: `table ${collection}`,
      message: `a column cannot be served as "${key}": "*" stands for every column`,
      remedy: 'rename the column, or leave the table out with TABLES_EXCLUDE',
    }));

const whereIn = (file: CollectionSpec | undefined, path: readonly string[]): string => {
  const place = file === undefined ? undefined : placeOf(file, ...path);
  return place === undefined ? 'names' : positionToText(place);
};

const sameInGraphql = (
  collection: string,
  keys: readonly string[],
  graphqlOf: (key: string) => string,
): ModelFault[] =>
  findSame(keys, graphqlOf).map(([first, second, spelled]) => ({
    where: `table ${collection}`,
    message: `"${first}" and "${second}" would both be "${spelled}" in GraphQL`,
    remedy: `choose a name in ${specFileOf(collection)}: names: { fields: { ${yamlWord(second)}: … } }`,
  }));

/** Reports collections whose names collide as type, file or GraphQL type. */
export const sameCollectionNames = (names: ReadonlyMap<string, CollectionNames>): ModelFault[] => {
  const spellings = {
    typescript: [
      (key: string) => names.get(key)?.type ?? '',
      (key: string) => (names.get(key)?.file ?? '').toLowerCase(),
      (key: string) => names.get(key)?.variable ?? '',
    ],
    graphql: [(key: string) => names.get(key)?.graphql ?? ''],
  };
  const keys = [...names.keys()];
  return Object.entries(spellings).flatMap(([target, spelledBy]) => {
    const same = spelledBy.flatMap((spelledOf) => findSame(keys, spelledOf));
    const pairs = new Map(same.toReversed().map((found) => [JSON.stringify(found.slice(0, 2)), found]));
    return [...pairs.values()].toReversed().map(([first, second, spelled]) => ({
      where: `table ${second}`,
      message: `"${first}" and "${second}" would both be "${spelled}" in ${target === 'graphql' ? 'GraphQL' : 'TypeScript'}`,
      remedy: `choose a name in ${specFileOf(second)}: names: { ${target}: … }`,
    }));
  });
};

/** Pairs each name with the first one of the same spelling. */
const findSame = (
  names: readonly string[],
  spelledOf: (name: string) => string,
): (readonly [string, string, string])[] => {
  const first = new Map<string, string>();
  return names.flatMap((name) => {
    const spelled = spelledOf(name);
    const before = first.get(spelled);
    if (before !== undefined) return [[before, name, spelled] as const];
    first.set(spelled, name);
    return [];
  });
};
