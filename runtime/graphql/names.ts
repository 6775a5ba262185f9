/** From how GraphQL spells names to what the database calls them. */
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

/** A value of an input type, its keys as the database has them. */
export const toNative = (value: unknown, type: GraphQLInputType): unknown => {
  const inner = getNullableType(type);
  if (Array.isArray(value)) {
    return isListType(inner) ? value.map((entry) => toNative(entry, inner.ofType)) : value;
  }
  if (!isInputObjectType(inner) || typeof value !== 'object' || value === null) return value;
  const fields = inner.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      const field = fields[key];
      return field === undefined
        ? [key, entry]
        : [directivesOf(field.astNode).name ?? key, toNative(entry, field.type)];
    }),
  );
};

/** `-author.first_name` as the database spells it, and as `sort` takes it. */
export const sortToNative = (text: string, item: GraphQLObjectType): string => {
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

/** As a list of names has it, where commas and blanks around a name are none of it. */
const escapeName = (name: string): string => name.replaceAll(/[,\\]|^\s|\s$/g, '\\$&');
