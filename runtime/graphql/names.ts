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
  type GraphQLType,
} from 'graphql';
import { invalidPayload, invalidQuery, type ApiError } from '../../contract/errors.js';
import { callToText, parseCall } from '../../contract/functions.js';
import { isObject } from '../../contract/objects.js';
import { locate } from '../plan/problem-collection.js';
import { directivesOf } from './directives.js';

/** Where a value is in the argument that holds it. */
interface Place {
  /** The names of the relations that lead to it. */
  readonly path: readonly string[];
  /** All names and indexes that lead to it, as the caller wrote them. */
  readonly pointer: readonly (string | number)[];
}

const top: Place = { path: [], pointer: [] };

/**
 * Translates the keys of an input value into database names, and `born_func: {year: …}` into `year(born)`.
 * @throws INVALID_PAYLOAD for a list that is written in both forms, INVALID_QUERY
 */
export const toDatabaseNames = (value: unknown, type: GraphQLInputType, place = top): unknown => {
  const inner = getNullableType(type);
  if (Array.isArray(value)) {
    if (!isListType(inner)) return value;
    return value.map((entry, index) =>
      toDatabaseNames(entry, inner.ofType, { ...place, pointer: [...place.pointer, index] }),
    );
  }
  if (!isInputObjectType(inner) || !isObject(value) || !isTranslated(inner)) return value;
  const fields = inner.getFields();
  const seen = new Map<string, string>();
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, given]): [string, unknown][] => {
      const field = fields[key];
      if (field === undefined) return [[key, given]];
      const { call, name = key } = directivesOf(field.astNode);
      if (call !== undefined) return toCalls(key, given, call);
      const entry = isChanges(field.type) ? withoutNulls(given) : given;
      if (entry === undefined) return [];
      const other = seen.get(name);
      if (other !== undefined) throw givenTwice([other, key], place);
      seen.set(name, key);
      // of values, of which there may be many, no place is asked for
      if (typeof entry !== 'object' || entry === null) return [[name, entry]];
      return [[name, toDatabaseNames(entry, field.type, placeBelow(place, { key, name, type: inner }))]];
    }),
  );
};

interface Step {
  readonly key: string;
  readonly name: string;
  /** The type of the object that has the key. */
  readonly type: GraphQLInputObjectType;
}

const placeBelow = ({ path, pointer }: Place, { key, name, type }: Step): Place => ({
  path: isChanges(type) ? path : [...path, name],
  pointer: [...pointer, key],
});

const changeActions: ReadonlySet<unknown> = new Set(['create', 'update', 'remove']);

const changes = new WeakMap<GraphQLInputObjectType, boolean>();

/** Returns whether a type describes the changes of a list, by `create`, `update` and `delete`. */
const isChanges = (type: GraphQLInputType): boolean => {
  if (!isInputObjectType(type)) return false;
  const known = changes.get(type);
  if (known !== undefined) return known;
  const fields = Object.values(type.getFields());
  const found = fields.some(({ astNode }) => changeActions.has(directivesOf(astNode).action));
  changes.set(type, found);
  return found;
};

/**
 * Returns changes without members that are null: clients print null for what they leave out, and a list that has no changes is not
 * written, while the list itself is emptied by null.
 */
const withoutNulls = (value: unknown): unknown => {
  if (value === null) return undefined;
  if (!isObject(value)) return value;
  const given = Object.entries(value).filter(([, entries]) => entries !== null);
  return given.length === 0 ? undefined : Object.fromEntries(given);
};

/** Creates the error for a list that is written in both forms. */
const givenTwice = ([first, second]: readonly [string, string], { path, pointer }: Place): ApiError => {
  const [index] = pointer;
  return locate(invalidPayload(`"${first}" and "${second}" write the same list; give one of them`), {
    index: typeof index === 'number' ? index : null,
    path,
    pointer: [...pointer, second],
  });
};

/** Translates the name of a field of an input, escaped for a list of names; any other text is returned as it is. */
export const fieldToDatabaseName = (text: string, input: GraphQLInputType | undefined): string => {
  const type = input === undefined ? undefined : getNamedType(input);
  if (!isInputObjectType(type)) return text;
  const { name } = directivesOf(type.getFields()[text]?.astNode);
  return name === undefined ? text : escapeName(name);
};

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

/** The types that a path of names starts from. */
export interface PathTypes {
  readonly item: GraphQLObjectType;
  /** The type of filters of the same items, which also has the targets of many-to-any relations. */
  readonly filter: GraphQLInputType | undefined;
}

/** Translates a sort such as `-author.first_name` into database names, escaped for the `sort` parameter. */
export const sortToDatabaseNames = (text: string, { item, filter }: PathTypes): string => {
  const sign = text.startsWith('-') ? '-' : '';
  let types: readonly Shape[] = asShapes([item, filter]);
  const path = text
    .slice(sign.length)
    .split('.')
    .map((key) => {
      const call = parseCall(key);
      if (call !== null) {
        const { name = call.argument } = nameIn(types, call.argument);
        const renamed = callToText({ ...call, argument: name });
        return call.name === 'json' ? renamed : escapeName(renamed);
      }
      const { name } = nameIn(types, key);
      types = asShapes(types.map((type) => type.getFields()[key]?.type));
      return name === undefined ? key : escapeName(name);
    });
  return sign + path.join('.');
};

type Shape = GraphQLObjectType | GraphQLInputObjectType;

const asShapes = (types: readonly (GraphQLType | undefined)[]): readonly Shape[] =>
  types
    .map((type) => (type === undefined ? undefined : getNamedType(type)))
    .filter((type): type is Shape => isObjectType(type) || isInputObjectType(type));

const nameIn = (types: readonly Shape[], key: string): { readonly name?: string } => {
  const fields = types.map((type) => type.getFields()[key]?.astNode);
  return directivesOf(fields.find((node) => directivesOf(node).name !== undefined));
};

/** Escapes commas, backslashes and outer white space, which separate names in a list. */
const escapeName = (name: string): string => name.replaceAll(/[,\\]|^\s|\s$/g, '\\$&');
