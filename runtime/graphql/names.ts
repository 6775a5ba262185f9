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
import { marksOf } from './marks.js';

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
        : [marksOf(field.astNode).name ?? key, toNative(entry, field.type)];
    }),
  );
};

/** `-author.first_name` as the database spells it. */
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
      return marksOf(field?.astNode).name ?? key;
    });
  return sign + path.join('.');
};
