/** Validates inputs and outputs with the JSON schemas of their model, compiled on first use. */
import {
  createAjv,
  UndecidedPattern,
  type Ajv2020,
  type ErrorObject,
  type ValidateFunction,
} from '../../request/json-schema.js';
import { parsePointer } from '../../../contract/json-pointer.js';
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import type { Detail } from '../requests/outcome.js';

type Schema = Readonly<Record<string, unknown>>;

/** Maximum number of errors reported for an input. */
const maxDetails = 100;

const compiled = new WeakMap<Schema, ValidateFunction>();
let ajv: Ajv2020 | null = null;

const validatorOf = (schema: Schema): ValidateFunction => {
  const present = compiled.get(schema);
  if (present !== undefined) return present;
  ajv ??= createAjv({ allErrors: true, strict: false });
  const validate = ajv.compile(schema);
  compiled.set(schema, validate);
  return validate;
};

/** Returns the validation errors of an input; empty if it is valid. */
export const checkInput = (
  { input }: Pick<QueueModelDeclaration, 'input'>,
  value: unknown,
): readonly Detail[] => {
  return findDetails(validatorOf(input), value);
};

/** Returns the validation errors of an output; empty if it is valid. */
export const checkOutput = (
  { output }: Pick<QueueModelDeclaration, 'output'>,
  value: unknown,
): readonly Detail[] => findDetails(validatorOf(output), value);

const findDetails = (validate: ValidateFunction, value: unknown): readonly Detail[] => {
  try {
    return validate(value) ? [] : (validate.errors ?? []).slice(0, maxDetails).map(toDetail);
  } catch (error) {
    if (!(error instanceof UndecidedPattern)) throw error;
    const msg = `string is too long for regex "${error.message}"`;
    return [{ loc: ['body'], msg, type: 'value_error.str.regex' }];
  }
};

const toDetail = (error: ErrorObject): Detail => {
  const path = parsePointer(error.instancePath);
  const [msg, type, field] = describe(error);
  return { loc: ['body', ...path, ...(field === undefined ? [] : [field])], msg, type };
};

const types: Readonly<Record<string, readonly [string, string]>> = {
  string: ['str type expected', 'type_error.str'],
  integer: ['value is not a valid integer', 'type_error.integer'],
  number: ['value is not a valid float', 'type_error.float'],
  boolean: ['value could not be parsed to a boolean', 'type_error.bool'],
  array: ['value is not a valid list', 'type_error.list'],
  object: ['value is not a valid dict', 'type_error.dict'],
};

type ErrorDescription = readonly [msg: string, type: string, field?: string];

/** Returns the message and type of an error, and the field to append to its path. */
const describe = ({ keyword, params, message = 'invalid' }: ErrorObject): ErrorDescription => {
  switch (keyword) {
    case 'required':
      return ['field required', 'value_error.missing', String(params.missingProperty)];
    case 'additionalProperties':
      return ['extra fields not permitted', 'value_error.extra', String(params.additionalProperty)];
    case 'type':
      return types[String(params.type)] ?? [message, 'type_error'];
    case 'enum':
      return [
        `value is not a valid enumeration member; permitted: ${(params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`,
        'type_error.enum',
      ];
    case 'minLength':
      return [`ensure this value has at least ${params.limit} characters`, 'value_error.any_str.min_length'];
    case 'maxLength':
      return [`ensure this value has at most ${params.limit} characters`, 'value_error.any_str.max_length'];
    case 'minItems':
      return [`ensure this value has at least ${params.limit} items`, 'value_error.list.min_items'];
    case 'maxItems':
      return [`ensure this value has at most ${params.limit} items`, 'value_error.list.max_items'];
    case 'minimum':
      return [`ensure this value is greater than or equal to ${params.limit}`, 'value_error.number.not_ge'];
    case 'maximum':
      return [`ensure this value is less than or equal to ${params.limit}`, 'value_error.number.not_le'];
    case 'exclusiveMinimum':
      return [`ensure this value is greater than ${params.limit}`, 'value_error.number.not_gt'];
    case 'exclusiveMaximum':
      return [`ensure this value is less than ${params.limit}`, 'value_error.number.not_lt'];
    case 'pattern':
      return [`string does not match regex "${params.pattern}"`, 'value_error.str.regex'];
    default:
      return [message, `value_error.${keyword}`];
  }
};
