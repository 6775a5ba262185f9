/** Validates values against the JSON Schemas of the spec, compiled on first use. */
import type { Ajv2020, ErrorObject, ValidateFunction } from '../request/json-schema.js';
import type { JsonSchema } from '../../contract/operation.js';
import { lazy } from '../concurrency/lazy.js';
import { isObject } from '../../contract/objects.js';

export interface ValidateOptions {
  /** Texts of a query string or header become the numbers and flags they spell. */
  readonly coerce?: boolean;
}

/** Returns the validation errors of a value, one sentence each, without the value itself. */
export const findProblems = async (
  value: unknown,
  schema: JsonSchema,
  options: ValidateOptions = {},
): Promise<readonly string[]> => {
  const { whole, part } = await validatorOf(schema, options);
  if (whole(value)) return [];
  const found = isObject(value) && isObject(schema.properties) ? problemsInside(value, schema, part) : [];
  return found.length > 0 ? found : [say('', whole.errors?.[0])];
};

interface Validator {
  readonly whole: ValidateFunction;
  /** Returns the validator of one property. */
  part(name: string): ValidateFunction;
}

/**
 * Every property by itself, and each only up to its first problem: all of them are told, and none costs much.
 */
const problemsInside = (value: JsonSchema, schema: JsonSchema, part: Validator['part']): string[] => {
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const missing = required.filter((name) => value[name] === undefined).map((name) => `"${name}" is missing`);
  const wrong = Object.keys(schema.properties ?? {}).flatMap((name) => {
    if (value[name] === undefined) return [];
    const check = part(name);
    return check(value[name]) ? [] : [say(name, check.errors?.[0])];
  });
  return [...missing, ...wrong];
};

const say = (name: string, error: Partial<ErrorObject> = {}): string => {
  const path = [...(name === '' ? [] : [name]), ...(error.instancePath ?? '').split('/').slice(1)].join('.');
  const subject = path === '' ? 'it' : `"${path}"`;
  const { allowedValues, additionalProperty } = (error.params ?? {}) as Record<string, unknown>;
  if (Array.isArray(allowedValues)) return `${subject} must be one of ${allowedValues.join(', ')}`;
  if (typeof additionalProperty === 'string') return `${subject} has no key "${additionalProperty}"`;
  return `${subject} ${error.message ?? 'is not valid'}`;
};

const validators = new WeakMap<JsonSchema, Promise<Validator>>();

const validatorOf = (schema: JsonSchema, { coerce = false }: ValidateOptions): Promise<Validator> => {
  const present = validators.get(schema);
  if (present !== undefined) return present;
  const made = compile(schema, coerce);
  validators.set(schema, made);
  return made;
};

const compile = async (schema: JsonSchema, coerce: boolean): Promise<Validator> => {
  const ajv = await (coerce ? coercing() : exact());
  const parts = new Map<string, ValidateFunction>();
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  const compilePart = (name: string): ValidateFunction =>
    ajv.compile({ ...(schema.$defs !== undefined && { $defs: schema.$defs }), ...properties[name] });
  return {
    whole: ajv.compile(schema),
    part(name) {
      const check = parts.get(name) ?? compilePart(name);
      parts.set(name, check);
      return check;
    },
  };
};

const load = async (coerceTypes: boolean): Promise<Ajv2020> => {
  const { createAjv } = await import('../request/json-schema.js');
  return createAjv({ strict: true, strictRequired: false, allowUnionTypes: true, coerceTypes });
};

const exact = lazy(() => load(false));
const coercing = lazy(() => load(true));
