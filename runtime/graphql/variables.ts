/**
 * Protects variables whose names every object inherits: graphql-js would read a missing one from the prototype.
 */
import {
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  typeFromAST,
  type GraphQLInputType,
  type VariableDefinitionNode,
} from 'graphql';
import type { View } from './schema.js';

type Variables = Readonly<Record<string, unknown>>;

/** Returns true for a name that every object inherits, such as `constructor`. */
export const isInherited = (name: string): boolean => name in Object.prototype;

/** Copies an object without its prototype. */
export const withoutPrototype = (value: Variables): Variables => Object.assign(Object.create(null), value);

/** Creates a function that removes prototypes from input objects, if the schema has inputs that need it. */
export const createPrototypeRemover = (
  definitions: readonly VariableDefinitionNode[],
  { schema, hasInheritedNames }: Pick<View, 'schema' | 'hasInheritedNames'>,
): ((given: Variables) => Variables) => {
  if (!hasInheritedNames) return (given) => given;
  const types = definitions.flatMap(({ variable, type: node }): (readonly [string, GraphQLInputType])[] => {
    const type = typeFromAST(schema, node);
    return isInputType(type) ? [[variable.name.value, type]] : [];
  });
  return (given) =>
    Object.fromEntries(
      types.flatMap(([name, type]) =>
        Object.hasOwn(given, name) ? [[name, removePrototypes(given[name], type)]] : [],
      ),
    );
};

const removePrototypes = (value: unknown, type: GraphQLInputType): unknown => {
  const inner = getNullableType(type);
  if (isListType(inner)) {
    return Array.isArray(value)
      ? value.map((entry) => removePrototypes(entry, inner.ofType))
      : removePrototypes(value, inner.ofType);
  }
  if (!isInputObjectType(inner) || typeof value !== 'object' || value === null) return value;
  const fields = inner.getFields();
  return withoutPrototype(
    Object.fromEntries(
      Object.entries(value).map(([key, entry]) => {
        const field = fields[key];
        return [key, field === undefined ? entry : removePrototypes(entry, field.type)];
      }),
    ),
  );
};
