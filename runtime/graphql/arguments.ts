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
import { toValidationError } from './errors.js';
import type { FieldsContext } from './fields.js';
import { sortToDatabaseNames, toDatabaseNames } from './names.js';

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

/** Creates a reader of a field's arguments for many requests. Arguments without variables are read once. */
export const createArgumentReader = (
  field: GraphQLField<unknown, unknown>,
  node: SelectedField,
): ((variables: Arguments) => Arguments) => {
  const translate = (values: Arguments): Arguments => toDatabaseArguments(values, field);
  const names = variablesIn(node);
  if (names.length === 0) {
    const values = translate(coerceArguments(field, node, {}));
    return () => values;
  }
  const template = coerceArguments(
    field,
    node,
    Object.fromEntries(names.map((name) => [name, Symbol(name)])),
  );
  return (variables) => {
    // a missing or null variable may mean the default or an error, so graphql-js has to decide
    const hasAllVariables = names.every((name) => variables[name] !== undefined && variables[name] !== null);
    return translate(
      hasAllVariables ? fillObject(template, variables) : coerceArguments(field, node, variables),
    );
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

const toDatabaseArguments = (values: Arguments, field: GraphQLField<unknown, unknown>): Arguments => {
  const item = getNamedType(field.type);
  return Object.fromEntries(
    field.args.flatMap(({ name, type }): [string, unknown][] => {
      const value = values[name];
      if (value === undefined) return [];
      return name === 'sort' && isObjectType(item) && Array.isArray(value)
        ? [[name, value.map((text) => sortToDatabaseNames(String(text), item))]]
        : [[name, toDatabaseNames(value, type)]];
    }),
  );
};

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
