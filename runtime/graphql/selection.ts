/** Translates selection sets into the `fields` of a query, so that GraphQL and REST share a planner. */
import {
  getArgumentValues,
  getNamedType,
  GraphQLError,
  isLeafType,
  isObjectType,
  isUnionType,
  visit,
  type FieldNode as SelectedField,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
} from 'graphql';
import { callToText, type FunctionCall } from '../../contract/functions.js';
import { emptyQuery } from '../plan/read.js';
import { readLevel, type FieldNode, type ParsedQuery } from '../request/query.js';
import { toValidationError } from './errors.js';
import { collectFields, type CollectedField, type FieldsContext } from './fields.js';
import { directivesOf } from './directives.js';
import { sortToDatabaseNames, toDatabaseNames } from './names.js';

export interface SelectionContext extends FieldsContext {
  readonly variables: Readonly<Record<string, unknown>>;
}

export type Arguments = Readonly<Record<string, unknown>>;

/** Reads arguments under their database names. @throws GRAPHQL_VALIDATION */
const readArguments = (
  field: GraphQLField<unknown, unknown>,
  node: SelectedField,
  { variables }: SelectionContext,
): Arguments => toDatabaseArguments(coerceArguments(field, node, variables), field);

/** Creates a reader of a field's arguments for many requests. Arguments without variables are read once. */
export const createArgumentReader = (
  field: GraphQLField<unknown, unknown>,
  node: SelectedField,
): ((variables: Arguments) => Arguments) => {
  const names = variablesIn(node);
  if (names.length === 0) {
    const values = toDatabaseArguments(coerceArguments(field, node, {}), field);
    return () => values;
  }
  const translate = createTranslator(field);
  const symbols = Object.fromEntries(names.map((name) => [name, Symbol(name)]));
  const readers = Object.entries(coerceArguments(field, node, symbols)).map(
    ([name, template]): [string, (variables: Arguments) => unknown] => {
      if (hasSymbol(template)) return [name, (variables) => translate(name, fill(template, variables))];
      const value = translate(name, template);
      return [name, () => value];
    },
  );
  return (variables) => {
    // a missing or null variable may mean the default or an error, so graphql-js has to decide
    const hasAllVariables = names.every((name) => variables[name] !== undefined && variables[name] !== null);
    return hasAllVariables
      ? Object.fromEntries(readers.map(([name, read]) => [name, read(variables)]))
      : toDatabaseArguments(coerceArguments(field, node, variables), field);
  };
};

/** Returns whether a value is, or holds, a symbol in place of a variable. */
const hasSymbol = (value: unknown): boolean =>
  typeof value === 'symbol' ||
  (typeof value === 'object' && value !== null && Object.values(value).some(hasSymbol));

const variablesIn = (node: SelectedField): readonly string[] => {
  const names = new Set<string>();
  for (const argument of node.arguments ?? []) {
    visit(argument, { Variable: ({ name }) => void names.add(name.value) });
  }
  return [...names];
};

const fill = (value: unknown, variables: Arguments): unknown => {
  if (typeof value === 'symbol') return variables[value.description ?? ''];
  if (Array.isArray(value)) return value.map((entry) => fill(entry, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, fill(entry, variables)]));
};

const toDatabaseArguments = (values: Arguments, field: GraphQLField<unknown, unknown>): Arguments => {
  const translate = createTranslator(field);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, translate(name, value)]));
};

/** Creates the translation of an argument's value, by the name of the argument, into database names. */
const createTranslator = (
  field: GraphQLField<unknown, unknown>,
): ((name: string, value: unknown) => unknown) => {
  const item = getNamedType(field.type);
  const types = new Map(field.args.map(({ name, type }) => [name, type]));
  return (name, value) => {
    if (name === 'sort' && isObjectType(item) && Array.isArray(value))
      return value.map((text) => sortToDatabaseNames(String(text), item));
    const type = types.get(name);
    return type === undefined ? value : toDatabaseNames(value, type);
  };
};

const coerceArguments = (
  field: GraphQLField<unknown, unknown>,
  node: SelectedField,
  variables: Arguments,
): Arguments => {
  try {
    return getArgumentValues(field, node, variables);
  } catch (error) {
    throw error instanceof GraphQLError ? toValidationError([error]) : error;
  }
};

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
  const { call, name = field.name } = directivesOf(field.astNode);
  const renamed = key === name ? {} : { as: key };
  const inner = getNamedType(field.type);
  if (isUnionType(inner)) {
    const targets = inner.getTypes().map((target) => ({
      collection: directivesOf(target.astNode).collection ?? target.name,
      children: toNodes({ sets }, target, { context, values }),
    }));
    return { name, ...renamed, children: [], targets };
  }
  if (call !== undefined) {
    const calls = callsIn({ sets }, { context, call, type: inner });
    return { name, ...renamed, isGroup: true, children: calls.map(toCallNode) };
  }
  if (!isObjectType(inner)) {
    return { name, children: [], ...renamed, ...(inner.name === 'ID' && { text: true }) };
  }
  const hasArguments = (node.arguments ?? []).length > 0;
  return {
    name,
    ...renamed,
    query: hasArguments ? readLevel(readArguments(field, node, context), values) : emptyQuery,
    children: toNodes({ sets }, inner, { context, values }),
  };
};

/** A selected function of `acquired_func { year }`, as `year(acquired)`, or the JSON of its `__typename`. */
type SelectedCall =
  | { readonly key: string; readonly call: string }
  | { readonly key: string; readonly json: string };

interface CallOptions {
  readonly context: SelectionContext;
  /** The field or list that the functions are called with. */
  readonly call: string;
  readonly type: GraphQLNamedType | undefined;
}

/** Returns the functions below a field, by their keys in the response. */
export const callsIn = (
  { sets }: Pick<CollectedField, 'sets'>,
  { context, call, type }: CallOptions,
): readonly SelectedCall[] =>
  [...collectFields(sets, type?.name ?? null, context)].map(([key, { field }]) =>
    field.name.value === '__typename'
      ? { key, json: JSON.stringify(type?.name) }
      : { key, call: callToText(toCall(field, { context, call, type })) },
  );

/** @throws GRAPHQL_VALIDATION */
const toCall = (node: SelectedField, { context, call: argument, type }: CallOptions): FunctionCall => {
  const name = node.name.value as FunctionCall['name'];
  if (name !== 'json') return { name, argument };
  const field = isObjectType(type) ? type.getFields()[name] : undefined;
  const { path = '' } = field === undefined ? {} : coerceArguments(field, node, context.variables);
  return { name, argument, path: String(path) };
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
