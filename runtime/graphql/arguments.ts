/** Reads the arguments of fields, under the names of the database. */
import {
  getArgumentValues,
  getNamedType,
  GraphQLError,
  isObjectType,
  visit,
  type FieldNode as SelectedField,
  type GraphQLField,
} from 'graphql';
import { directivesOf } from './directives.js';
import { toValidationError } from './errors.js';
import type { FieldsContext } from './fields.js';
import { fieldToDatabaseName, sortToDatabaseNames, toDatabaseNames } from './names.js';

export interface SelectionContext extends FieldsContext {
  readonly variables: Readonly<Record<string, unknown>>;
}

export type Arguments = Readonly<Record<string, unknown>>;

/** Reads arguments under their database names. @throws GRAPHQL_VALIDATION */
export const readArguments = (
  field: GraphQLField<unknown, unknown>,
  node: SelectedField,
  { variables }: SelectionContext,
): Arguments => toDatabaseArguments(coerceArguments(field, node, variables), field);

/** The arguments of one call of a field. */
export interface CallArguments {
  /** Returns them under the names of the schema, as the caller wrote them. */
  given(): Arguments;
  /** Returns them under the names of the database. @throws INVALID_PAYLOAD, INVALID_QUERY */
  translated(): Arguments;
}

/**
 * Creates a reader of a field's arguments for many requests. Arguments without variables are read once.
 * @throws GRAPHQL_VALIDATION, as does the reader
 */
export const createArgumentReader = (
  field: GraphQLField<unknown, unknown>,
  node: SelectedField,
): ((variables: Arguments) => CallArguments) => {
  const names = variablesIn(node);
  const translate = createTranslator(field);
  const read = (variables: Arguments): CallArguments => {
    const values = coerceArguments(field, node, variables);
    return { given: () => values, translated: once(() => mapArguments(values, translate)) };
  };
  if (names.length === 0) {
    const fixed = read({});
    return () => fixed;
  }
  const symbols = Object.fromEntries(names.map((name) => [name, Symbol(name)]));
  const templates = coerceArguments(field, node, symbols);
  const readers = Object.entries(templates).map(
    ([name, template]): [string, (variables: Arguments) => unknown] => {
      if (hasSymbol(template)) return [name, (variables) => translate(name, fill(template, variables))];
      const value = once(() => translate(name, template));
      return [name, value];
    },
  );
  return (variables) => {
    // a missing or null variable may mean the default or an error, so graphql-js has to decide
    const hasAllVariables = names.every((name) => variables[name] !== undefined && variables[name] !== null);
    if (!hasAllVariables) return read(variables);
    return {
      given: () => mapArguments(templates, (_, template) => fill(template, variables)),
      translated: () => Object.fromEntries(readers.map(([name, value]) => [name, value(variables)])),
    };
  };
};

/** Returns a function that computes its value once; it is computed again where that failed. */
const once = <Value>(compute: () => Value): (() => Value) => {
  let known: { readonly value: Value } | null = null;
  return () => (known ??= { value: compute() }).value;
};

const mapArguments = (values: Arguments, map: (name: string, value: unknown) => unknown): Arguments =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(name, value)]));

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

const toDatabaseArguments = (values: Arguments, field: GraphQLField<unknown, unknown>): Arguments =>
  mapArguments(values, createTranslator(field));

/** Creates the translation of an argument's value, by the name of the argument, into database names. */
const createTranslator = (
  field: GraphQLField<unknown, unknown>,
): ((name: string, value: unknown) => unknown) => {
  const item = getNamedType(field.type);
  const types = new Map(field.args.map(({ name, type }) => [name, type]));
  // aggregations are sorted by groups and operations
  const filter = directivesOf(field.astNode).action === 'aggregate' ? undefined : types.get('filter');
  return (name, value) => {
    if (name === 'sort' && isObjectType(item) && Array.isArray(value))
      return value.map((text) => sortToDatabaseNames(String(text), { item, filter }));
    if (name === 'conflict' && Array.isArray(value))
      return value.map((text) => fieldToDatabaseName(String(text), types.get('data')));
    const type = types.get(name);
    return type === undefined ? value : toDatabaseNames(value, type);
  };
};

/** Returns the values of a field's arguments, with variables put in. */
export const coerceArguments = (
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
