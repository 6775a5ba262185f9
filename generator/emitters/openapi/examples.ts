/** Builds example values from types alone, so that the same model yields the same examples. */
import type { SchemaObject } from 'openapi3-ts/oas31';
import { fieldTypes } from '../../../contract/field-types.js';
import { mask } from '../../../contract/fields.js';
import type { Field } from '../../model/types.js';

type Example = (field: Field) => unknown;

const exampleOf = (field: Field): unknown =>
  field.element === null
    ? fieldTypes[field.type].example(field)
    : [fieldTypes[field.element.type].example(field.element)];

/** Builds an example object without a field called `$ref`, which tools would resolve as a reference. */
const exampleObject = (fields: readonly Field[], value: Example): SchemaObject => ({
  examples: [
    Object.fromEntries(
      fields.filter((field) => field.name !== '$ref').map((field) => [field.name, value(field)]),
    ),
  ],
});

/** Returns an example of a complete row. */
export const readExample = (fields: readonly Field[]): SchemaObject =>
  exampleObject(fields, (field) => (field.conceal || field.hash ? mask : exampleOf(field)));

/** Returns an example with the required fields, or with one field where none is required. */
export const createExample = (fields: readonly Field[]): SchemaObject => {
  const required = fields.filter((field) => field.required);
  return required.length > 0 ? exampleObject(required, exampleOf) : updateExample(fields);
};

/** Returns an example with one field that is not part of the key; it is empty where there is none. */
export const updateExample = (fields: readonly Field[]): SchemaObject =>
  exampleObject(fields.filter((field) => !field.primaryKey).slice(0, 1), exampleOf);
