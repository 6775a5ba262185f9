/** Selection sets as `fields` of a query: what both ask for is planned by the same planner. */
import {
  getArgumentValues,
  getNamedType,
  GraphQLError,
  isLeafType,
  isObjectType,
  visit,
  type FieldNode as SelectedField,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';
import { emptyQuery } from '../plan/read.js';
import { readLevel, type FieldNode, type ParsedQuery } from '../request/query.js';
import { invalidBy } from './errors.js';
import { collectFields, type Fields, type FieldsContext } from './fields.js';
import { directivesOf } from './directives.js';
import { sortToNative, toNative } from './names.js';

export interface SelectionContext extends FieldsContext {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly respelled: boolean;
}

export type Arguments = Readonly<Record<string, unknown>>;

/** Arguments by the names of the database. @throws GRAPHQL_VALIDATION */
const readArguments = (
  field: GraphQLField<unknown, unknown>,
  node: SelectedField,
  { variables, respelled }: SelectionContext,
): Arguments => {
  const values = coerceArguments(field, node, variables);
  return respelled ? spellNative(values, field) : values;
};

/** The same for many requests: what no variable stands in is read once. */
export const argumentReader = (
  field: GraphQLField<unknown, unknown>,
  node: SelectedField,
  { respelled }: Pick<SelectionContext, 'respelled'>,
): ((variables: Arguments) => Arguments) => {
  const spell = (values: Arguments): Arguments => (respelled ? spellNative(values, field) : values);
  const names = variablesIn(node);
  if (names.length === 0) {
    const values = spell(coerceArguments(field, node, {}));
    return () => values;
  }
  const template = coerceArguments(
    field,
    node,
    Object.fromEntries(names.map((name) => [name, Symbol(name)])),
  );
  return (variables) => {
    // null, and what is not given, may leave a default or be an error
    const isWhole = names.every((name) => variables[name] !== undefined && variables[name] !== null);
    return spell(isWhole ? fillObject(template, variables) : coerceArguments(field, node, variables));
  };
};

const variablesIn = (node: SelectedField): readonly string[] => {
  const names = new Set<string>();
  for (const argument of node.arguments ?? []) {
    visit(argument, { Variable: ({ name }) => void names.add(name.value) });
  }
  return [...names];
};

const fillObject = (template: Arguments, variables: Arguments): Arguments =>
  Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fill(value, variables)]));

const fill = (value: unknown, variables: Arguments): unknown => {
  if (typeof value === 'symbol') return variables[value.description ?? ''];
  if (Array.isArray(value)) return value.map((entry) => fill(entry, variables));
  return typeof value === 'object' && value !== null ? fillObject(value as Arguments, variables) : value;
};

const spellNative = (values: Arguments, field: GraphQLField<unknown, unknown>): Arguments => {
  const item = getNamedType(field.type);
  return Object.fromEntries(
    field.args.flatMap(({ name, type }): [string, unknown][] => {
      const value = values[name];
      if (value === undefined) return [];
      return name === 'sort' && isObjectType(item) && Array.isArray(value)
        ? [[name, value.map((text) => sortToNative(String(text), item))]]
        : [[name, toNative(value, type)]];
    }),
  );
};

const coerceArguments = (
  field: GraphQLField<unknown, unknown>,
  node: SelectedField,
  variables: Arguments,
): Arguments => {
  try {
    return getArgumentValues(field, node, variables);
  } catch (error) {
    throw error instanceof GraphQLError ? invalidBy([error]) : error;
  }
};

/** What is selected below a field, whatever its own arguments are. */
export interface Selected {
  readonly nodes: readonly FieldNode[];
  /** Of arguments in it; slots count from the first. */
  readonly values: readonly unknown[];
  readonly shape: string;
}

/** @throws GRAPHQL_VALIDATION, INVALID_QUERY */
export const readSelection = (
  { sets }: Pick<Fields, 'sets'>,
  { type, context }: { readonly type: unknown; readonly context: SelectionContext },
): Selected => {
  const values: unknown[] = [];
  const nodes = isObjectType(type) ? toNodes({ sets }, type, { context, values }) : [];
  return { nodes, values, shape: JSON.stringify(nodes) };
};

/** A query with these parameters. @throws INVALID_QUERY */
export const toParsedQuery = (parameters: Arguments, { nodes, values, shape }: Selected): ParsedQuery => {
  const all = [...values];
  const level = readLevel(parameters, all);
  return { query: { ...level, fields: nodes }, shape: `${JSON.stringify(level)} ${shape}`, values: all };
};

interface NodesContext {
  readonly context: SelectionContext;
  /** Of the whole query. */
  readonly values: unknown[];
}

const toNodes = (
  { sets }: Pick<Fields, 'sets'>,
  type: GraphQLObjectType,
  nodes: NodesContext,
): readonly FieldNode[] =>
  [...collectFields(sets, nodes.context)].map(([key, found]) => toNode(key, found, { ...nodes, type }));

const toNode = (
  key: string,
  { field: node, sets }: Fields,
  { type, context, values }: NodesContext & { readonly type: GraphQLObjectType },
): FieldNode => {
  if (node.name.value === '__typename') {
    return { name: key, children: [], constant: JSON.stringify(type.name) };
  }
  const field = type.getFields()[node.name.value] as GraphQLField<unknown, unknown>;
  const name = directivesOf(field.astNode).name ?? field.name;
  const renamed = key === name ? {} : { as: key };
  const inner = getNamedType(field.type);
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

/** A plain value as the selection asks for it. */
export const pick = (
  value: unknown,
  { sets }: Pick<Fields, 'sets'>,
  { type, context }: { readonly type: unknown; readonly context: SelectionContext },
): unknown => {
  if (Array.isArray(value)) return value.map((entry) => pick(entry, { sets }, { type, context }));
  if (value === undefined || value === null) return null;
  if (isLeafType(type)) return type.serialize(value);
  if (!isObjectType(type) || typeof value !== 'object') return value;
  return Object.fromEntries(
    [...collectFields(sets, context)].map(([key, found]) => {
      const name = found.field.name.value;
      if (name === '__typename') return [key, type.name];
      const field = type.getFields()[name];
      const inner = field === undefined ? undefined : getNamedType(field.type);
      return [key, pick((value as Arguments)[name], found, { type: inner, context })];
    }),
  );
};
