/** Validates values against the JSON Schemas of the spec, compiled on first use. */
import type { Ajv2020, ErrorObject, ValidateFunction } from '../request/json-schema.js';
import type { JsonSchema } from '../../contract/operation.js';
import { lazy } from '../concurrency/lazy.js';
import { isObject } from '../../contract/objects.js';

export interface ValidateOptions {
  /** True to convert strings to numbers and booleans, for query strings and headers. */
  readonly coerce?: boolean;
}

/** Returns the validation errors of a value, one sentence each, without the value itself. */
export const findProblems = async (
  value: unknown,
  schema: JsonSchema,
  options: ValidateOptions = {},
): Promise<readonly string[]> => {
  const { validate, validatorOfProperty } = await validatorOf(schema, options);
  if (validate(value)) return [];
  const problems =
    isObject(value) && isObject(schema.properties) ? problemsInside(value, schema, validatorOfProperty) : [];
  return problems.length > 0 ? problems : [printProblem('', validate.errors)];
};

interface Validator {
  readonly validate: ValidateFunction;
  /** Returns the validator of one property. */
  validatorOfProperty(name: string): ValidateFunction;
}

/** Validates each property separately up to its first error, so all faulty properties are reported at low cost. */
const problemsInside = (
  value: JsonSchema,
  schema: JsonSchema,
  validatorOfProperty: Validator['validatorOfProperty'],
): string[] => {
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const missing = required.filter((name) => value[name] === undefined).map((name) => `"${name}" is missing`);
  const invalid = Object.keys(schema.properties ?? {}).flatMap((name) => {
    if (value[name] === undefined) return [];
    const check = validatorOfProperty(name);
    return check(value[name]) ? [] : [printProblem(name, check.errors)];
  });
  return [...missing, ...invalid];
};

/** Returns the first error; of alternatives, that of the one whose type the value has. */
const chooseError = (errors: ValidateFunction['errors']): Partial<ErrorObject> => {
  const whole = errors?.at(-1);
  const inner = errors?.slice(0, -1) ?? [];
  if (whole?.keyword !== 'anyOf') return errors?.[0] ?? {};
  const isOfType = ({ keyword, instancePath }: ErrorObject): boolean =>
    keyword !== 'type' || instancePath !== whole.instancePath;
  const types = inner.map(({ params }) => String(params.type)).join(' or ');
  return inner.find(isOfType) ?? { ...whole, message: `must be ${types}` };
};

const printProblem = (name: string, errors: ValidateFunction['errors']): string => {
  const error = chooseError(errors);
  const path = [...(name === '' ? [] : [name]), ...(error.instancePath ?? '').split('/').slice(1)].join('.');
  const subject = path === '' ? 'it' : `"${path}"`;
  const { allowedValues, additionalProperty } = (error.params ?? {}) as Record<string, unknown>;
  if (Array.isArray(allowedValues)) return `${subject} must be one of ${allowedValues.join(', ')}`;
  if (typeof additionalProperty === 'string') return `${subject} has no key "${additionalProperty}"`;
  return `${subject} ${error.message ?? 'is not valid'}`;
};

/** Apart, as REST converts the parameters of an operation and GraphQL, with the same schemas, does not. */
const exactValidators = new WeakMap<JsonSchema, Promise<Validator>>();
const coercingValidators = new WeakMap<JsonSchema, Promise<Validator>>();

const validatorOf = (schema: JsonSchema, { coerce = false }: ValidateOptions): Promise<Validator> => {
  const validators = coerce ? coercingValidators : exactValidators;
  const cached = validators.get(schema);
  if (cached !== undefined) return cached;
  const created = compile(schema, coerce);
  validators.set(schema, created);
  return created;
};

const compile = async (schema: JsonSchema, coerce: boolean): Promise<Validator> => {
  const ajv = await (coerce ? loadCoercing() : loadExact());
  const propertyValidators = new Map<string, ValidateFunction>();
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  const compileProperty = (name: string): ValidateFunction =>
    ajv.compile({ ...(schema.$defs !== undefined && { $defs: schema.$defs }), ...properties[name] });
  return {
    validate: ajv.compile(schema),
    validatorOfProperty(name) {
      const check = propertyValidators.get(name) ?? compileProperty(name);
      propertyValidators.set(name, check);
      return check;
    },
  };
};

const load = async (coerceTypes: boolean): Promise<Ajv2020> => {
  const { createAjv } = await import('../request/json-schema.js');
  return createAjv({ strict: true, strictRequired: false, allowUnionTypes: true, coerceTypes });
};

const loadExact = lazy(() => load(false));
const loadCoercing = lazy(() => load(true));
