/** Names the GraphQL types and root fields of collections. */
import type { Collection, Model, Relation } from '../../model/types.js';

export interface TypeNames {
  readonly item: string;
  readonly filter: string;
  /** Filter on a list: on its items, or on whether it has any. */
  readonly quantifier: string;
  readonly create: string;
  readonly update: string;
  /** An item in place of its key. */
  readonly related: string;
  /** Changes of a list: items to create, to update and to delete. */
  readonly changes: string;
  /** Unions of many-to-any relations, by the name of the relation. */
  readonly unions: ReadonlyMap<string, string>;
  /** Filters of the items of many-to-any relations, by the name of the relation. */
  readonly unionFilters: ReadonlyMap<string, string>;
  /** A group of aggregated items. */
  readonly aggregated: string;
  /** Returns the type of the results of a kind of operation, such as `sum`. */
  measuresOf(kind: string): string;
  /** These names joined, to compare them with those of another run. */
  readonly identity: string;
}

/**
 * Names the types of all collections. Derived names avoid those of collections: a table may be called
 * `works_filter`.
 */
export const nameTypes = ({ collections }: Model): ReadonlyMap<string, TypeNames> => {
  const allocate = createNameAllocator(collections.map(({ names }) => names.graphql));
  return new Map(
    collections.map(({ name, relations, names: { graphql: item } }) => [
      name,
      withIdentity({
        item,
        filter: allocate(`${item}_filter`),
        quantifier: allocate(`${item}_quantifier_filter`),
        create: allocate(`create_${item}_input`),
        update: allocate(`update_${item}_input`),
        related: allocate(`related_${item}_input`),
        changes: allocate(`changed_${item}_input`),
        unions: nameUnions(relations, (field) => allocate(`${item}_${field}_union`)),
        unionFilters: nameUnions(relations, (field) => allocate(`${item}_${field}_union_filter`)),
        ...aggregateNames(allocate(`${item}_aggregated`), allocate),
      }),
    ]),
  );
};

/** Returns a name for each many-to-any relation. */
const nameUnions = (
  relations: readonly Relation[],
  toName: (field: string) => string,
): ReadonlyMap<string, string> =>
  new Map(
    relations.flatMap(({ kind, name, graphql }) =>
      kind === 'manyToAny' ? [[name, toName(graphql)] as const] : [],
    ),
  );

const withIdentity = (names: Omit<TypeNames, 'identity'>): TypeNames => ({
  ...names,
  identity: JSON.stringify([
    names,
    [...names.unions],
    [...names.unionFilters],
    measureKinds.map(names.measuresOf),
  ]),
});

const measureKinds = ['count', 'count_distinct', 'sum', 'avg', 'range'] as const;

const aggregateNames = (
  aggregated: string,
  allocate: (name: string) => string,
): Pick<TypeNames, 'aggregated' | 'measuresOf'> => {
  const names = new Map<string, string>(
    measureKinds.map((kind) => [kind, allocate(`${aggregated}_${kind}`)]),
  );
  return { aggregated, measuresOf: (kind) => names.get(kind) ?? kind };
};

/** Returns a function that makes names unique by appending `_`. */
export const createNameAllocator = (reserved: Iterable<string>): ((name: string) => string) => {
  const taken = new Set(reserved);
  return (name) => {
    let unique = name;
    while (taken.has(unique)) unique += '_';
    taken.add(unique);
    return unique;
  };
};

/** Returns the stem of root field names: system collections lose their prefix, which their types keep. */
export const stemOf = ({ system, names: { graphql } }: Collection): string =>
  system ? graphql.replace(/^svc_/, '') : graphql;
