/** Reads and validates the input of an operation from the path, query string, headers and body. */
import {
  forbidden,
  invalidPayload,
  invalidQuery,
  throwProblems,
  type ApiError,
} from '../../contract/errors.js';
import { readJson } from '../request/body.js';
import { asList, parseQueryString, type RawValue } from '../request/query-string.js';
import { readDocument } from '../request/upload.js';
import type { ApiRequest } from '../request/api-request.js';
import type { JsonSchema, OperationDeclaration, OperationParameter } from '../../contract/operation.js';
import { findProblems } from './validate.js';

/** Parameters by name, and `body`. */
export type OperationInput = Readonly<Record<string, unknown>>;

export interface InputSource {
  readonly operation: OperationDeclaration;
  /** Decoded path parameters by name. */
  readonly path: Readonly<Record<string, string>>;
  /** Maximum size of an uploaded document in bytes. */
  readonly uploadMax?: number;
}

/**
 * Reads and validates the input of a request.
 * @throws INVALID_QUERY, INVALID_PAYLOAD with all problems; FORBIDDEN when a path parameter is invalid
 */
export const readInput = async (
  { operation, path, uploadMax }: InputSource,
  request: ApiRequest,
): Promise<OperationInput> => {
  const raw = readParameters(operation, { ...request, path });
  if (operation.body === undefined) return checkInput(operation, raw, { coerce: true });
  const body =
    operation.upload === true ? await readDocument(request, uploadMax) : await readJson(request, {});
  return checkInput(operation, { ...raw, body }, { coerce: true });
};

/** Validates input that has been read. `coerce`: parameters are strings that must be converted. */
export const checkInput = async (
  { parameters = [], body: schema }: OperationDeclaration,
  input: OperationInput,
  { coerce = false } = {},
): Promise<OperationInput> => {
  const errors: ApiError[] = [];
  const { body } = input;
  const checked: Record<string, unknown> = {};
  for (const parameter of parameters) {
    const { value, problems } = await checkParameter(parameter, input[parameter.name], coerce);
    errors.push(...problems.map(errorsByLocation[parameter.in]));
    if (value !== undefined) checked[parameter.name] = value;
  }
  if (schema !== undefined) {
    errors.push(...(await findProblems(body, schema)).map((problem) => invalidPayload(problem)));
    checked.body = body;
  }
  throwProblems(errors);
  return checked;
};

const errorsByLocation: Readonly<Record<OperationParameter['in'], (reason: string) => ApiError>> = {
  path: forbidden,
  query: invalidQuery,
  header: invalidQuery,
};

interface Checked {
  readonly value: unknown;
  readonly problems: readonly string[];
}

const checkParameter = async (
  parameter: OperationParameter,
  value: unknown,
  coerce: boolean,
): Promise<Checked> => {
  const { name, required } = parameter;
  if (value === undefined) return { value, problems: required ? [`"${name}" is missing`] : [] };
  // databases do not store NUL characters in text, and some fail
  if (String(value).includes('\0')) return { value, problems: [`"${name}" must not hold NUL characters`] };
  const wrapper = { [name]: value };
  return {
    problems: await findProblems(wrapper, wrapperSchema(parameter), { coerce }),
    value: wrapper[name],
  };
};

const wrapperSchemas = new WeakMap<OperationParameter, JsonSchema>();

/** Returns the schema of an object with the parameter alone, as Ajv coerces only values inside an object. */
const wrapperSchema = (parameter: OperationParameter): JsonSchema => {
  const cached = wrapperSchemas.get(parameter);
  if (cached !== undefined) return cached;
  const objectSchema = { type: 'object', properties: { [parameter.name]: parameter.schema } };
  wrapperSchemas.set(parameter, objectSchema);
  return objectSchema;
};

/** @throws INVALID_QUERY for each parameter of the query string that is not declared */
const refuseUnknown = (
  parameters: readonly OperationParameter[],
  given: Readonly<Record<string, RawValue>>,
): void => {
  const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const known = new Set([...names, 'access_token']);
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  const expected = names.length === 0 ? 'none is expected' : `expected ${names.join(', ')}`;
  throwProblems(unknown.map((name) => invalidQuery(`"${name}" is not a parameter; ${expected}`)));
};

interface Sources {
  readonly path: Readonly<Record<string, string>>;
  readonly query: string;
  readonly headers: ApiRequest['headers'];
}

const readParameters = (
  { parameters = [], access }: OperationDeclaration,
  { path, query, headers }: Sources,
): OperationInput => {
  const isStrict = access === 'operator';
  const isParsed = isStrict || parameters.some((parameter) => parameter.in === 'query');
  const parsed = isParsed ? parseQueryString(query) : {};
  // what is only ours can be strict: a search by a misspelled parameter would find everything
  if (isStrict) refuseUnknown(parameters, parsed);
  return Object.fromEntries(
    parameters.map(({ name, in: location, schema }) => {
      if (location === 'path') return [name, path[name]];
      return [name, location === 'header' ? headers[name.toLowerCase()] : toPlainValue(parsed[name], schema)];
    }),
  );
};

/** Converts a raw value: lists to arrays and, where a list is expected, comma-separated text too. */
const toPlainValue = (value: RawValue | undefined, { type }: JsonSchema): unknown => {
  if (value === undefined) return undefined;
  const list = asList(value);
  if (list !== null) return list;
  return type === 'array' && typeof value === 'string' ? value.split(',') : value;
};
