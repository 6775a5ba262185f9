/** What is wrong with a value of a payload, in the words and details of its error. */
import type { Collection, Field } from '../../contract/collection.js';
import { apiError, type ApiError } from '../../contract/errors.js';
import type { Failure } from './validate.js';
import type { ReadValue } from './values.js';

/** Where the payload stands. */
export interface PayloadPosition {
  readonly grant: { readonly collection: Collection };
  /** In a list of payloads. */
  readonly index: number | null;
  /** Lists from the top of the request to here. */
  readonly path: readonly string[];
}

/** `message`: the field's own words. */
export type ReportedFailure = Failure & { readonly message?: string };

/** A value that nobody is shown is not repeated either. */
const shown = (field: Field | undefined, details: Readonly<Record<string, unknown>>) =>
  field?.conceal === true || field?.hash === true ? {} : details;

/** A value that its field does not take. */
export const refusal = (
  field: Field,
  { read, value }: { readonly read: Extract<ReadValue, { ok: false }>; readonly value: unknown },
  context: PayloadPosition,
): ApiError => {
  const details = {
    collection: context.grant.collection.name,
    field: field.name,
    ...shown(field, { value }),
    ...place(context),
  };
  const explanation = `"${field.name}" takes ${read.expected}`;
  if (read.problem === 'length') return apiError('VALUE_TOO_LONG', details, explanation);
  if (read.problem === 'range') return apiError('VALUE_OUT_OF_RANGE', details, explanation);
  return failed(field, { type: 'type', expected: read.expected, value }, context);
};

const place = ({ index }: PayloadPosition): { readonly index?: number } => (index === null ? {} : { index });

export const failed = (
  field: Field,
  { type, expected, value }: { readonly type: string; readonly expected: string; readonly value: unknown },
  context: PayloadPosition,
): ApiError =>
  apiError(
    'FAILED_VALIDATION',
    {
      collection: context.grant.collection.name,
      field: field.name,
      path: context.path,
      type,
      expected,
      ...(value === undefined || value === null ? {} : shown(field, { invalid: value })),
      ...place(context),
    },
    `"${field.name}" takes ${expected}`,
  );

/** A rule that a value does not pass. */
export const toProblem = (
  { field, type, operand, message }: ReportedFailure,
  value: unknown,
  context: PayloadPosition,
): ApiError =>
  apiError(
    'FAILED_VALIDATION',
    {
      collection: context.grant.collection.name,
      field,
      path: context.path,
      type,
      ...(operand === null || operand === undefined || type === 'regex' ? {} : { valid: operand }),
      ...(type === 'regex' ? shown(context.grant.collection.fields.get(field), { invalid: value }) : {}),
      ...place(context),
    },
    message ?? `"${field}" does not pass "_${type}"`,
  );
