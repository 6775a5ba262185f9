/** Lists as both REST and GraphQL say them: made at random on the schema of a caller, and written for each. */
import * as fc from 'fast-check';
import {
  getNamedType,
  isListType,
  isObjectType,
  isUnionType,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';
import type { Registry } from '../../../contract/collection.js';
import { writeFilter, type FilterTree } from './filters.js';
import { listOf, writeSort, type ListQuery } from './queries.js';

/** A selected field. */
export interface Selected {
  readonly field: GraphQLField<unknown, unknown>;
  /** Parameters of a list. */
  readonly query: ListQuery;
  /** By the name of a collection, which has one entry unless the field is many-to-any. */
  readonly below: ReadonlyMap<string, readonly Selected[]>;
}

const isFurther = (name: string): boolean => /_(?:func|aggregated)$/.test(name);

/** Returns whether GraphQL can express a condition: it compares the key of a related item by that item's field. */
const isExpressible = (filter: FilterTree, registry: Registry): boolean => {
  if ('parts' in filter) return filter.parts.every((part) => isExpressible(part, registry));
  if (filter.kind !== 'compare') return filter.filter === null || isExpressible(filter.filter, registry);
  const holders = [...registry.collections.values()].filter(
    ({ fields }) => fields.get(filter.field.name) === filter.field,
  );
  return (
    holders.every(({ relations }) => !relations.has(filter.field.name)) &&
    filter.operand.every(({ value }) => typeof value !== 'symbol')
  );
};

/** With the values that are meant, however they may be spelled. */
const spelled = (filter: FilterTree): FilterTree => {
  if ('parts' in filter) return { ...filter, parts: filter.parts.map(spelled) };
  if (filter.kind === 'compare')
    return { ...filter, operand: filter.operand.map(({ value }) => ({ sent: value as string, value })) };
  return { ...filter, filter: filter.filter === null ? null : spelled(filter.filter) } as FilterTree;
};

/** Parameters of a list on its own. */
export const parametersOn = (name: string, registry: Registry): fc.Arbitrary<ListQuery> => {
  const collection = registry.collections.get(name);
  if (collection === undefined) throw new Error(`there is no collection ${name}`);
  return listOf(collection, 1).map(({ deep: _deep, filter, ...query }) =>
    filter === undefined || !isExpressible(filter, registry)
      ? query
      : Object.assign(query, { filter: spelled(filter) }),
  );
};

const isPlain = (field: GraphQLField<unknown, unknown>): boolean => {
  const inner = getNamedType(field.type);
  return !isObjectType(inner) && !isUnionType(inner);
};

/** Fields of a type, and of what its relations lead to. */
export const selectionOn = (
  type: GraphQLObjectType,
  { registry, depth }: { readonly registry: Registry; readonly depth: number },
): fc.Arbitrary<readonly Selected[]> => {
  const fields = Object.values(type.getFields()).filter(({ name }) => !isFurther(name));
  const entry = (field: GraphQLField<unknown, unknown>): fc.Arbitrary<Selected> => {
    const inner = getNamedType(field.type);
    const types = isUnionType(inner) ? inner.getTypes() : isObjectType(inner) ? [inner] : [];
    const below = fc
      .tuple(...types.map((each) => selectionOn(each, { registry, depth: depth - 1 })))
      .map((lists) => new Map(lists.map((list, index) => [types[index]?.name ?? '', list])));
    const query =
      isObjectType(inner) && isListType(field.type) ? parametersOn(inner.name, registry) : fc.constant({});
    return fc.record({ field: fc.constant(field), query, below });
  };
  const taken = depth === 0 ? fields.filter(isPlain) : fields;
  const key = fields.find((field) => getNamedType(field.type).name === 'ID');
  return fc
    .uniqueArray(fc.constantFrom(...taken), { minLength: 1, maxLength: 4, selector: ({ name }) => name })
    .chain((chosen) => {
      // an item of which nothing is selected is its key in REST, and nothing in GraphQL
      const all = key === undefined || chosen.includes(key) ? chosen : [key, ...chosen];
      return fc.tuple(...all.map(entry));
    });
};

const isAny = ({ field }: Selected): boolean => isUnionType(getNamedType(field.type));

/** Names of fields as in `fields`. */
const pathsOf = (selected: readonly Selected[]): readonly string[] =>
  selected.flatMap((each) => {
    const { name } = each.field;
    if (each.below.size === 0) return [name];
    return [...each.below].flatMap(([target, inner]) =>
      pathsOf(inner).map((path) => `${isAny(each) ? `${name}:${target}` : name}.${path}`),
    );
  });

const restOf = ({ filter, sort, ...query }: ListQuery, prefix: string): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({
      ...query,
      filter: filter === undefined ? undefined : writeFilter(filter),
      sort: sort === undefined ? undefined : writeSort(sort),
    }).flatMap(([name, value]) => (value === undefined ? [] : [[`${prefix}${name}`, value]])),
  );

const deepOf = (selected: readonly Selected[]): Record<string, unknown> =>
  Object.fromEntries(
    selected.flatMap((each) =>
      [...each.below].flatMap(([target, inner]) => {
        const parameters = { ...restOf(each.query, '_'), ...deepOf(inner) };
        const name = isAny(each) ? `${each.field.name}:${target}` : each.field.name;
        return Object.keys(parameters).length === 0 ? [] : [[name, parameters]];
      }),
    ),
  );

/** The parameters of REST. */
export const toRest = (selected: readonly Selected[], query: ListQuery): Record<string, unknown> => ({
  ...restOf(query, ''),
  fields: pathsOf(selected),
  deep: deepOf(selected),
});

interface Document {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The document of GraphQL. */
export const toGraphql = (
  root: GraphQLField<unknown, unknown>,
  selected: readonly Selected[],
  query: ListQuery,
): Document => {
  const variables: Record<string, unknown> = {};
  const declared: string[] = [];
  const argumentsOf = (field: GraphQLField<unknown, unknown>, parameters: ListQuery): string => {
    const written = Object.entries(restOf(parameters, '')).map(([name, value]) => {
      const type = field.args.find((each) => each.name === name)?.type;
      if (type === undefined) throw new Error(`${field.name} has no argument ${name}`);
      const variable = `v${declared.length}`;
      declared.push(`$${variable}: ${type}`);
      variables[variable] = name === 'filter' ? toGraphqlNames(value) : value;
      return `${name}: $${variable}`;
    });
    return written.length === 0 ? '' : `(${written.join(', ')})`;
  };
  const write = (list: readonly Selected[], prefix: string): string =>
    list
      .map((each) => {
        const { name } = each.field;
        const start = `${prefix}${name}: ${name}${argumentsOf(each.field, each.query)}`;
        if (each.below.size === 0) return start;
        const inner = [...each.below].map(([target, below]) =>
          // fields of the same name may have types that do not fit
          isAny(each) ? `... on ${target} { ${write(below, `${target}__`)} }` : write(below, ''),
        );
        return `${start} { ${inner.join(' ')} }`;
      })
      .join(' ');
  const body = `${root.name}${argumentsOf(root, query)} { ${write(selected, '')} }`;
  return { query: `query ${declared.length === 0 ? '' : `(${declared.join(', ')})`} { ${body} }`, variables };
};

const toGraphqlNames = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toGraphqlNames);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name.replace(':', '__'), toGraphqlNames(inner)]),
  );
};

/** An answer of GraphQL as that of REST: without the names that keep targets apart. */
export const withoutPrefixes = (value: unknown, targets: readonly string[]): unknown => {
  if (Array.isArray(value)) return value.map((each) => withoutPrefixes(each, targets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const target = targets.find((each) => name.startsWith(`${each}__`));
      return [target === undefined ? name : name.slice(target.length + 2), withoutPrefixes(inner, targets)];
    }),
  );
};

/** An answer of REST as that of GraphQL, in which keys are texts. */
export const withTextKeys = (value: unknown, graphql: unknown): unknown => {
  if (Array.isArray(value) && Array.isArray(graphql))
    return value.map((each, index) => withTextKeys(each, graphql[index]));
  if (typeof value === 'object' && value !== null && typeof graphql === 'object' && graphql !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        withTextKeys(each, (graphql as Readonly<Record<string, unknown>>)[name]),
      ]),
    );
  return typeof value === 'number' && typeof graphql === 'string' ? String(value) : value;
};
