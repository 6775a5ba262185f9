/** Translates selection sets into the `fields` of a query, so that GraphQL and REST share a planner. */
import {
  getNamedType,
  isLeafType,
  isObjectType,
  isUnionType,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';
import { emptyQuery } from '../plan/read.js';
import { isObject } from '../../contract/objects.js';
import { readLevel, type AnySelection, type FieldNode, type ParsedQuery } from '../request/query.js';
import { readGroups } from './aggregation.js';
import { readArguments, type Arguments, type SelectionContext } from './arguments.js';
import { callsIn, type SelectedCall } from './calls.js';
import { directivesOf } from './directives.js';
import { collectFields, type CollectedField } from './fields.js';

/** The selection below a field, independent of the field's own arguments. */
export interface Selected {
  readonly nodes: readonly FieldNode[];
  /** Values of arguments in the selection; `nodes` refer to them by index. */
  readonly values: readonly unknown[];
  /** Cache key of the plan: the selection without values. */
  readonly shape: string;
}

/** Reads the selection below a field. @throws GRAPHQL_VALIDATION, INVALID_QUERY */
export const readSelection = (
  { sets }: Pick<CollectedField, 'sets'>,
  { type, context }: { readonly type: unknown; readonly context: SelectionContext },
): Selected => {
  const values: unknown[] = [];
  const nodes = isObjectType(type) ? toNodes({ sets }, type, { context, values }) : [];
  return { nodes, values, shape: JSON.stringify(nodes) };
};

/** Combines parameters and a selection into a query. @throws INVALID_QUERY */
export const toParsedQuery = (parameters: Arguments, { nodes, values, shape }: Selected): ParsedQuery => {
  const all = [...values];
  const level = readLevel(parameters, all);
  return { query: { ...level, fields: nodes }, shape: `${JSON.stringify(level)} ${shape}`, values: all };
};

interface NodesContext {
  readonly context: SelectionContext;
  /** Values of the whole query; new ones are appended. */
  readonly values: unknown[];
}

const toNodes = (
  { sets }: Pick<CollectedField, 'sets'>,
  type: GraphQLObjectType,
  nodes: NodesContext,
): readonly FieldNode[] =>
  [...collectFields(sets, type.name, nodes.context)].map(([key, found]) =>
    toNode(key, found, { ...nodes, type }),
  );

const toNode = (
  key: string,
  { field: node, sets }: CollectedField,
  { type, context, values }: NodesContext & { readonly type: GraphQLObjectType },
): FieldNode => {
  if (node.name.value === '__typename') {
    return { name: key, children: [], constant: JSON.stringify(type.name) };
  }
  const field = type.getFields()[node.name.value] as GraphQLField<unknown, unknown>;
  const { call, action, name = field.name } = directivesOf(field.astNode);
  const renamed = key === name ? {} : { as: key };
  const inner = getNamedType(field.type);
  if (isUnionType(inner)) {
    const { filter } = readArguments(field, node, context);
    const targets = inner
      .getTypes()
      .map((target) => toTarget(target, { name, filter, sets }, { context, values }));
    return { name, ...renamed, children: [], targets };
  }
  if (call !== undefined) {
    const calls = callsIn({ sets }, { context, call, type: inner });
    return { name, ...renamed, isGroup: true, children: calls.map(toCallNode) };
  }
  if (!isObjectType(inner)) {
    return { name, children: [], ...renamed, ...(inner.name === 'ID' && { text: true }) };
  }
  if (action === 'aggregate') {
    const args = readArguments(field, node, context);
    const query = readGroups(args, { sets }, { type: inner, context, values });
    return { name, as: key, query, children: [] };
  }
  const hasArguments = (node.arguments ?? []).length > 0;
  return {
    name,
    ...renamed,
    query: hasArguments ? readLevel(readArguments(field, node, context), values) : emptyQuery,
    children: toNodes({ sets }, inner, { context, values }),
  };
};

interface SelectedUnion extends Pick<CollectedField, 'sets'> {
  /** Name of the relation. */
  readonly name: string;
  /** The filters of the targets, by `<relation>:<collection>`. */
  readonly filter: unknown;
}

/** Reads what is selected of one target of a many-to-any relation; an item that the filter does not match is null. */
const toTarget = (
  target: GraphQLObjectType,
  { name, filter, sets }: SelectedUnion,
  nodes: NodesContext,
): AnySelection => {
  const { collection = target.name } = directivesOf(target.astNode);
  const own = isObject(filter) ? filter[`${name}:${collection}`] : undefined;
  return {
    collection,
    children: toNodes({ sets }, target, nodes),
    ...(isObject(own) && { query: readLevel({ filter: own }, nodes.values) }),
  };
};

const toCallNode = (selected: SelectedCall): FieldNode =>
  'json' in selected
    ? { name: selected.key, children: [], constant: selected.json }
    : { name: selected.call, as: selected.key, children: [] };

/** Returns the selected parts of a plain value, serialized by their types. */
export const pick = (
  value: unknown,
  { sets }: Pick<CollectedField, 'sets'>,
  { type, context }: { readonly type: unknown; readonly context: SelectionContext },
): unknown => {
  if (Array.isArray(value)) return value.map((entry) => pick(entry, { sets }, { type, context }));
  if (value === undefined || value === null) return null;
  if (isLeafType(type)) return type.serialize(value);
  if (!isObjectType(type) || typeof value !== 'object') return value;
  return Object.fromEntries(
    [...collectFields(sets, type.name, context)].map(([key, found]) => {
      const name = found.field.name.value;
      if (name === '__typename') return [key, type.name];
      const field = type.getFields()[name];
      const inner = field === undefined ? undefined : getNamedType(field.type);
      return [key, pick((value as Arguments)[name], found, { type: inner, context })];
    }),
  );
};
