/** Gives the errors of a write the names that its caller wrote, in place of those of the database and of REST. */
import {
  getNullableType,
  isInputObjectType,
  isListType,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
} from 'graphql';
import { ApiError, ApiErrors } from '../../contract/errors.js';
import { parsePointer, printPointer } from '../../contract/json-pointer.js';
import { isObject } from '../../contract/objects.js';
import type { Arguments } from './arguments.js';
import { directivesOf } from './directives.js';

type Root = Pick<GraphQLField<unknown, unknown>, 'args'>;

/**
 * Returns the error of a call with the names of the schema in `pointer`, `message` and `reason`; any other value as it is.
 * @param given the arguments as the caller wrote them
 */
export const toGivenNames = (error: unknown, root: Root, given: Arguments): unknown => {
  if (error instanceof ApiErrors)
    return new ApiErrors(error.problems.map((problem) => rename(problem, root, given)));
  return error instanceof ApiError ? rename(error, root, given) : error;
};

const rename = (problem: ApiError, { args }: Root, given: Arguments): ApiError => {
  const data = args.find(({ name }) => name === 'data');
  const hasIds = args.some(({ name }) => name === 'ids');
  const { pointer, reason } = problem.details;
  const tokens = typeof pointer === 'string' ? parsePointer(pointer) : [];
  // where there are ids, pointers begin with a member of the body of REST
  const start = hasIds ? tokens.slice(0, 1).map((name) => (name === 'keys' ? 'ids' : name)) : [];
  const names = new Map(hasIds ? [['keys', 'ids']] : []);
  const isInData = data !== undefined && start[0] !== 'ids';
  const rest = tokens.slice(start.length);
  const found = isInData ? walk(rest, { value: given['data'], type: data.type, names }) : rest;
  const toText = (text: string): string =>
    text.replaceAll(/"([^"]*)"/g, (whole, name: string) => {
      const own = names.get(name);
      return own === undefined ? whole : `"${own}"`;
    });
  const details = {
    ...problem.details,
    ...(typeof reason === 'string' && { reason: toText(reason) }),
    ...(typeof pointer === 'string' && { pointer: printPointer([...start, ...found]) }),
  };
  const { explanation } = problem;
  return new ApiError(problem.code, details, explanation === undefined ? undefined : toText(explanation));
};

interface Position {
  readonly value: unknown;
  readonly type: GraphQLInputType;
  /** Receives the names of the schema by those of the database, of all objects on the way. */
  readonly names: Map<string, string>;
}

/** Returns the tokens of a pointer into a value, as the keys that the value has. */
const walk = (tokens: readonly string[], { value, type, names }: Position): readonly string[] => {
  const inner = getNullableType(type);
  const [token, ...rest] = tokens;
  if (isListType(inner)) {
    const entries: readonly unknown[] = Array.isArray(value) ? value : [];
    const below = walk(rest, { value: entries[Number(token ?? 0)], type: inner.ofType, names });
    return token === undefined ? [] : [token, ...below];
  }
  if (!isInputObjectType(inner)) return tokens;
  const object = isObject(value) ? value : {};
  for (const [name, key] of ownNames(inner, object)) names.set(name, key);
  if (token === undefined) return [];
  const key = keyOf(token, inner, object);
  const next = inner.getFields()[key];
  if (next === undefined) return tokens;
  return [key, ...walk(rest, { value: object[key], type: next.type, names })];
};

type Fields = ReturnType<GraphQLInputObjectType['getFields']>;

/** Returns the names that differ from those of the database; of a list that has two, the changes where only they are given. */
const ownNames = (type: GraphQLInputObjectType, given: Arguments): readonly (readonly [string, string])[] => {
  const fields: Fields = type.getFields();
  return Object.entries(fields).flatMap(([key, { astNode }]) => {
    const { name } = directivesOf(astNode);
    if (name === undefined) return [];
    const hasTwo = fields[name] !== undefined;
    return hasTwo && (Object.hasOwn(given, name) || !Object.hasOwn(given, key)) ? [] : [[name, key] as const];
  });
};

/** Returns the key of the schema for a name of the database, preferring one that the object has. */
const keyOf = (name: string, type: GraphQLInputObjectType, given: Arguments): string => {
  const candidates = Object.entries(type.getFields()).filter(([key, { astNode }]) => {
    const { name: own = key } = directivesOf(astNode);
    // `item:note` stands for the relation `item` and the collection of its item
    return own === name || (own.startsWith(`${name}:`) && Object.hasOwn(given, key));
  });
  const found = candidates.find(([key]) => Object.hasOwn(given, key)) ?? candidates[0];
  return found?.[0] ?? name;
};
