/** Translates the selection and the arguments of `<collection>_aggregated`, or of a list, into an aggregation. */
import { getNamedType, isObjectType, type GraphQLObjectType } from 'graphql';
import { isAggregateName, type AggregateName } from '../../contract/aggregates.js';
import { readGroupBy, readHaving, type OutputNode } from '../request/aggregation.js';
import { readLevel, type ParsedQuery, type Query } from '../request/query.js';
import type { Arguments, SelectionContext } from './arguments.js';
import { callsIn } from './calls.js';
import { directivesOf } from './directives.js';
import { collectFields, type CollectedField } from './fields.js';

interface Selection {
  readonly type: unknown;
  readonly context: SelectionContext;
}

/** Builds the query of an aggregation. @throws INVALID_QUERY */
export const readAggregation = (
  args: Arguments,
  found: Pick<CollectedField, 'sets'>,
  selection: Selection,
): ParsedQuery => {
  const values: unknown[] = [];
  const query = readGroups(args, found, { ...selection, values });
  return { query, shape: JSON.stringify(query), values };
};

/**
 * Builds the part of a query that aggregates the rows of one level. @param values values of the whole query; new ones are
 * appended. @throws INVALID_QUERY
 */
export const readGroups = (
  { groupBy, having, ...parameters }: Arguments,
  found: Pick<CollectedField, 'sets'>,
  { values, ...selection }: Selection & { readonly values: unknown[] },
): Query => {
  const level = readLevel(parameters, values);
  const aggregation = {
    outputs: readOutputs(found, selection),
    groupBy: readGroupBy(groupBy),
    having: readHaving(having, values),
  };
  return { ...level, aggregation };
};

/** Reads what the selection below the field asks for. */
const readOutputs = (
  { sets }: Pick<CollectedField, 'sets'>,
  { type, context }: Selection,
): readonly OutputNode[] => {
  if (!isObjectType(type)) return [];
  return [...collectFields(sets, type.name, context)].map(([as, found]): OutputNode => {
    const name = found.field.name.value;
    if (name === '__typename') return typeNameOf(as, type);
    if (name === 'group') return { kind: 'object', as, children: [{ kind: 'groups' }] };
    if (!isAggregateName(name)) throw new Error(`"${name}" is no operation`);
    if (name === 'countAll') return { kind: 'measure', as, measure: { operation: name, path: null } };
    const inner = getNamedType(type.getFields()[name]?.type);
    const children = isObjectType(inner) ? readMeasures(name, found, { type: inner, context }) : [];
    return { kind: 'object', as, children };
  });
};

const typeNameOf = (as: string, { name }: GraphQLObjectType): OutputNode => ({
  kind: 'constant',
  as,
  json: JSON.stringify(name),
});

interface MeasuredSelection extends Selection {
  readonly type: GraphQLObjectType;
}

const readMeasures = (
  operation: AggregateName,
  { sets }: Pick<CollectedField, 'sets'>,
  { type, context }: MeasuredSelection,
): readonly OutputNode[] =>
  [...collectFields(sets, type.name, context)].map(([as, { field, sets: below }]): OutputNode => {
    if (field.name.value === '__typename') return typeNameOf(as, type);
    const selected = type.getFields()[field.name.value];
    const { call, name = field.name.value } = directivesOf(selected?.astNode);
    if (call === undefined) return { kind: 'measure', as, measure: { operation, path: [name] } };
    const calls = callsIn({ sets: below }, { context, call, type: getNamedType(selected?.type) });
    const children = calls.map((each): OutputNode =>
      'json' in each
        ? { kind: 'constant', as: each.key, json: each.json }
        : { kind: 'measure', as: each.key, measure: { operation, path: [each.call] } },
    );
    return { kind: 'object', as, children };
  });
