/** Translates GraphQL names, which may be respelled, into the names of the database. */
import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
} from 'graphql';
import { invalidPayload, invalidQuery, type ApiError } from '../../contract/errors.js';
import { callToText, parseCall } from '../../contract/functions.js';
import { isObject } from '../../contract/objects.js';
import { directivesOf } from './directives.js';

/** Translates the keys of an input value into database names, and `born_func: {year: …}` into `year(born)`. */
export const toDatabaseNames = (value: unknown, type: GraphQLInputType): unknown => {
  const inner = getNullableType(type);
  if (Array.isArray(value)) {
    return isListType(inner) ? value.map((entry) => toDatabaseNames(entry, inner.ofType)) : value;
  }
  if (!isInputObjectType(inner) || typeof value !== 'object' || value === null) return value;
  if (!isTranslated(inner)) return value;
  const fields = inner.getFields();
  const seen = new Map<string, string>();
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, entry]): [string, unknown][] => {
      const field = fields[key];
      if (field === undefined) return [[key, entry]];
      const { call, name = key } = directivesOf(field.astNode);
      if (call !== undefined) return toCalls(key, entry, call);
      const other = seen.get(name);
      if (other !== undefined) throw givenTwice(other, key);
      seen.set(name, key);
      return [[name, toDatabaseNames(entry, field.type)]];
    }),
  );
};

/** Creates the error for a list that is written in both forms. */
const givenTwice = (first: string, second: string): ApiError =>
  invalidPayload(`"${first}" and "${second}" write the same list; give one of them`);

const toCalls = (key: string, filter: unknown, call: string): [string, unknown][] => {
  if (!isObject(filter)) throw invalidQuery(`"${key}" in a filter needs a function with a condition`);
  return Object.entries(filter).map(([name, condition]) => [`${name}(${call})`, condition]);
};

/** True for types whose values may need translation. */
const translated = new WeakMap<GraphQLInputObjectType, boolean>();

const isTranslated = (type: GraphQLInputObjectType): boolean => {
  const known = translated.get(type);
  if (known !== undefined) return known;
  const seen = new Set([type]);
  let found = false;
  // iteration of a Set includes elements added during it
  for (const each of seen) {
    for (const { astNode, type: member } of Object.values(each.getFields())) {
      const { name, call } = directivesOf(astNode);
      found ||= name !== undefined || call !== undefined;
      const inner = getNamedType(member);
      if (isInputObjectType(inner)) seen.add(inner);
    }
  }
  translated.set(type, found);
  return found;
};

/** Translates a sort such as `-author.first_name` into database names, escaped for the `sort` parameter. */
export const sortToDatabaseNames = (text: string, item: GraphQLObjectType): string => {
  const sign = text.startsWith('-') ? '-' : '';
  let type: GraphQLObjectType | null = item;
  const path = text
    .slice(sign.length)
    .split('.')
    .map((key) => {
      const call = parseCall(key);
      if (call !== null) {
        const { name = call.argument } = directivesOf(type?.getFields()[call.argument]?.astNode);
        const renamed = callToText({ ...call, argument: name });
        return call.name === 'json' ? renamed : escapeName(renamed);
      }
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
