/** Example values, made from types alone: the same model gives the same examples. */
import type { SchemaObject } from 'openapi3-ts/oas31';
import { fieldTypes } from '../../../contract/field-types.js';
import type { Field } from '../../model/types.js';

type Example = (field: Field) => unknown;

const exampleOf = (field: Field): unknown => fieldTypes[field.type].example(field);

/** `$ref` would be read as a reference wherever it stands. */
const exampleObject = (fields: readonly Field[], value: Example): SchemaObject => ({
  examples: [
    Object.fromEntries(
      fields.filter((field) => field.name !== '$ref').map((field) => [field.name, value(field)]),
    ),
  ],
});

/** A whole row as it is read. */
export const readExample = (fields: readonly Field[]): SchemaObject =>
  exampleObject(fields, (field) => (field.conceal || field.hash ? '**********' : exampleOf(field)));

/** What a create needs at least; one field where it needs nothing. */
export const createExample = (fields: readonly Field[]): SchemaObject => {
  const required = fields.filter((field) => field.required);
  return required.length > 0 ? exampleObject(required, exampleOf) : updateExample(fields);
};

/** One field that is not the key. */
export const updateExample = (fields: readonly Field[]): SchemaObject =>
  exampleObject(fields.filter((field) => !field.primaryKey).slice(0, 1), exampleOf);
