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
import type { ApiRequest } from '../request/api-request.js';
import type { JsonSchema, OperationDeclaration, OperationParameter } from '../../contract/operation.js';
import { findProblems } from './validate.js';

/** Parameters by name, and `body`. */
export type OperationInput = Readonly<Record<string, unknown>>;

export interface InputSource {
  readonly operation: OperationDeclaration;
  /** Decoded path parameters by name. */
  readonly path: Readonly<Record<string, string>>;
}

/** @throws INVALID_QUERY, INVALID_PAYLOAD, every problem at once; FORBIDDEN for a path that names nothing */
export const readInput = async (
  { operation, path }: InputSource,
  request: ApiRequest,
): Promise<OperationInput> => {
  const raw = gather(operation.parameters ?? [], { ...request, path });
  const input = operation.body === undefined ? raw : { ...raw, body: await readJson(request, {}) };
  return checkInput(operation, input, { coerce: true });
};

/** For whoever has the values already. `coerce`: parameters are texts still. */
export const checkInput = async (
  { parameters = [], body: schema }: OperationDeclaration,
  input: OperationInput,
  { coerce = false } = {},
): Promise<OperationInput> => {
  const problems: ApiError[] = [];
  const { body } = input;
  const checked: Record<string, unknown> = {};
  for (const parameter of parameters) {
    const { value, found } = await checkParameter(parameter, input[parameter.name], coerce);
    problems.push(...found.map(refusals[parameter.in]));
    if (value !== undefined) checked[parameter.name] = value;
  }
  if (schema !== undefined) {
    problems.push(...(await findProblems(body, schema)).map((problem) => invalidPayload(problem)));
    checked.body = body;
  }
  throwProblems(problems);
  return checked;
};

const refusals: Readonly<Record<OperationParameter['in'], (reason: string) => ApiError>> = {
  path: forbidden,
  query: invalidQuery,
  header: invalidQuery,
};

interface Checked {
  readonly value: unknown;
  readonly found: readonly string[];
}

const checkParameter = async (
  { name, required, schema }: OperationParameter,
  value: unknown,
  coerce: boolean,
): Promise<Checked> => {
  if (value === undefined) return { value, found: required ? [`"${name}" is missing`] : [] };
  // no database keeps them in texts, and some fail
  if (String(value).includes('\0')) return { value, found: [`"${name}" must not hold NUL characters`] };
  const holder = { [name]: value };
  return { found: await findProblems(holder, holderSchema(name, schema), { coerce }), value: holder[name] };
};

const holders = new WeakMap<JsonSchema, JsonSchema>();

/** Returns the schema of an object with one property, as Ajv coerces only values inside an object. */
const holderSchema = (name: string, schema: JsonSchema): JsonSchema => {
  const present = holders.get(schema);
  if (present !== undefined) return present;
  const made = { type: 'object', properties: { [name]: schema } };
  holders.set(schema, made);
  return made;
};

interface Sources {
  readonly path: Readonly<Record<string, string>>;
  readonly query: string;
  readonly headers: ApiRequest['headers'];
}

const gather = (
  parameters: readonly OperationParameter[],
  { path, query, headers }: Sources,
): OperationInput => {
  const parsed = parameters.some((parameter) => parameter.in === 'query') ? parseQueryString(query) : {};
  return Object.fromEntries(
    parameters.map(({ name, in: place, schema }) => {
      if (place === 'path') return [name, path[name]];
      return [name, place === 'header' ? headers[name.toLowerCase()] : plain(parsed[name], schema)];
    }),
  );
};

/** Lists as arrays; where a list is expected, commas separate and one entry is a list of one. */
const plain = (value: RawValue | undefined, { type }: JsonSchema): unknown => {
  if (value === undefined) return undefined;
  const list = asList(value);
  if (list !== null) return list;
  return type === 'array' && typeof value === 'string' ? value.split(',') : value;
};
