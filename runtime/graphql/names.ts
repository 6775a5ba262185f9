/** Translates GraphQL names, which may be respelled, into the names of the database. */
import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
} from 'graphql';
import { directivesOf } from './directives.js';

/** Translates the keys of an input value into database names. */
export const toDatabaseNames = (value: unknown, type: GraphQLInputType): unknown => {
  const inner = getNullableType(type);
  if (Array.isArray(value)) {
    return isListType(inner) ? value.map((entry) => toDatabaseNames(entry, inner.ofType)) : value;
  }
  if (!isInputObjectType(inner) || typeof value !== 'object' || value === null) return value;
  const fields = inner.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      const field = fields[key];
      return field === undefined
        ? [key, entry]
        : [directivesOf(field.astNode).name ?? key, toDatabaseNames(entry, field.type)];
    }),
  );
};

/** Translates a sort such as `-author.first_name` into database names, escaped for the `sort` parameter. */
export const sortToDatabaseNames = (text: string, item: GraphQLObjectType): string => {
  const sign = text.startsWith('-') ? '-' : '';
  let type: GraphQLObjectType | null = item;
  const path = text
    .slice(sign.length)
    .split('.')
    .map((key) => {
      const field = type?.getFields()[key];
      const next = field === undefined ? null : getNamedType(field.type);
      type = isObjectType(next) ? next : null;
      const { name } = directivesOf(field?.astNode);
      return name === undefined ? key : escapeName(name);
    });
  return sign + path.join('.');
};

/** Escapes commas, backslashes and outer white space, which separate names in a list. */
const escapeName = (name: string): string => name.replaceAll(/[,\\]|^\s|\s$/g, '\\$&');
