/** Variables with names that every object inherits: the library would read them from the prototype where none is given. */
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

/** Such as `constructor`. */
export const isInherited = (name: string): boolean => name in Object.prototype;

/** The same members, and no others. */
export const withoutPrototype = (value: Variables): Variables => Object.assign(Object.create(null), value);

/** Variables as they were sent, with inputs that inherit nothing, where the schema has inputs that need it. */
export const inputSeparator = (
  definitions: readonly VariableDefinitionNode[],
  { schema, inherited }: Pick<View, 'schema' | 'inherited'>,
): ((given: Variables) => Variables) => {
  if (!inherited) return (given) => given;
  const types = definitions.flatMap(({ variable, type: node }): (readonly [string, GraphQLInputType])[] => {
    const type = typeFromAST(schema, node);
    return isInputType(type) ? [[variable.name.value, type]] : [];
  });
  return (given) =>
    Object.fromEntries(
      types.flatMap(([name, type]) =>
        Object.hasOwn(given, name) ? [[name, separate(given[name], type)]] : [],
      ),
    );
};

const separate = (value: unknown, type: GraphQLInputType): unknown => {
  const inner = getNullableType(type);
  if (isListType(inner)) {
    return Array.isArray(value)
      ? value.map((entry) => separate(entry, inner.ofType))
      : separate(value, inner.ofType);
  }
  if (!isInputObjectType(inner) || typeof value !== 'object' || value === null) return value;
  const fields = inner.getFields();
  return withoutPrototype(
    Object.fromEntries(
      Object.entries(value).map(([key, entry]) => {
        const field = fields[key];
        return [key, field === undefined ? entry : separate(entry, field.type)];
      }),
    ),
  );
};
