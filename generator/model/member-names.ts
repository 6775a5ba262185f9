/** Assigns GraphQL and Objection names to fields and relations, and reports collisions. */
import { suggest } from '../spec/faults.js';
import type { CollectionSpec } from '../spec/types.js';
import type { UnnamedField } from './fields.js';
import type { Findings, ModelFault } from './findings.js';
import { positionToText } from '../spec/faults.js';
import { graphqlName, relationProperty, specFileOf, yamlWord } from './naming.js';
import type { UnnamedRelation } from './relations.js';
import type { Collection, CollectionNames, Field, Relation } from './types.js';

interface UnnamedMembers {
  readonly fields: readonly UnnamedField[];
  readonly relations: readonly UnnamedRelation[];
}

/**
 * Assigns names to the fields and relations of a collection.
 * @param file spec of the collection, which may choose names
 */
export const assignNames = (
  name: string,
  { fields, relations }: UnnamedMembers,
  { file, findings }: { file: CollectionSpec | undefined; findings: Findings },
): Pick<Collection, 'fields' | 'relations'> => {
  const chosenNames = file?.names.fields ?? new Map<string, string>();
  const graphqlOf = (key: string): string => chosenNames.get(key) ?? graphqlName(key);
  const keys = [...new Set([...fields, ...relations].map((part) => part.name))];
  findings.faults.push(
    ...unknownChoices(file, keys),
    ...wildcardNames(name, keys),
    ...graphqlCollisions(name, keys, graphqlOf),
  );
  return {
    fields: fields.map((field): Field => ({ ...field, graphql: graphqlOf(field.name) })),
    relations: nameRelations(relations, new Set(fields.map((field) => field.name)), graphqlOf),
  };
};

const nameRelations = (
  relations: readonly UnnamedRelation[],
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
    .filter((key) => !keys.includes(key))
    .map((key) => ({
      where: whereIn(file, ['names', 'fields', key]),
      message: `"${file?.collection}" has no field or relation "${key}"`,
      remedy: suggest(key, keys, 'name one of its columns or relations'),
      isOutdated: true,
    }));

/** Reports columns called `*`, which means every column in `fields` and in permissions. */
const wildcardNames = (collection: string, keys: readonly string[]): ModelFault[] =>
  keys
    .filter((key) => key === '*' || key.startsWith('*.'))
    .map((key) => ({
      where: `table ${collection}`,
      message: `a column cannot be served as "${key}": "*" stands for every column`,
      remedy: 'rename the column, or leave the table out with TABLES_EXCLUDE',
    }));

const whereIn = (file: CollectionSpec | undefined, path: readonly string[]): string => {
  const position = file?.positionOf(...path);
  return position === undefined ? 'names' : positionToText(position);
};

const graphqlCollisions = (
  collection: string,
  keys: readonly string[],
  graphqlOf: (key: string) => string,
): ModelFault[] =>
  findCollisions(keys, graphqlOf).map(([first, second, spelled]) => ({
    where: `table ${collection}`,
    message: `"${first}" and "${second}" would both be "${spelled}" in GraphQL`,
    remedy: `choose a name in ${specFileOf(collection)}: names: { fields: { ${yamlWord(second)}: … } }`,
  }));

/** Reports collections whose names collide as type, file or GraphQL type. */
export const collectionNameCollisions = (names: ReadonlyMap<string, CollectionNames>): ModelFault[] => {
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
    const collisions = spelledBy.flatMap((spelledOf) => findCollisions(keys, spelledOf));
    const pairs = new Map(collisions.toReversed().map((found) => [JSON.stringify(found.slice(0, 2)), found]));
    return [...pairs.values()].toReversed().map(([first, second, spelled]) => ({
      where: `table ${second}`,
      message: `"${first}" and "${second}" would both be "${spelled}" in ${target === 'graphql' ? 'GraphQL' : 'TypeScript'}`,
      remedy: `choose a name in ${specFileOf(second)}: names: { ${target}: … }`,
    }));
  });
};

/** Pairs each name with the first one of the same spelling. */
const findCollisions = (
  names: readonly string[],
  spelledOf: (name: string) => string,
): (readonly [string, string, string])[] => {
  const first = new Map<string, string>();
  return names.flatMap((name) => {
    const spelled = spelledOf(name);
    const previous = first.get(spelled);
    if (previous !== undefined) return [[previous, name, spelled] as const];
    first.set(spelled, name);
    return [];
  });
};
