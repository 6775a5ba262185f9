/** Example values, made from types alone: the same model gives the same examples. */
import type { SchemaObject } from 'openapi3-ts/oas31';
import type { Field, FieldType } from '../../model/types.js';

type Example = (field: Field) => unknown;

const text: Example = (field) => field.values?.[0] ?? 'example'.slice(0, field.length ?? undefined);

const fraction = ({ fraction }: Field): string =>
  fraction === null || fraction === 0 ? '' : `.${'0'.repeat(fraction)}`;

const decimal: Example = ({ precision, scale }) => {
  const whole = precision !== null && precision === scale ? '0' : '1';
  return scale === null || scale === 0 ? whole : `${whole}.${'0'.repeat(scale)}`;
};

const examples: Readonly<Record<FieldType, Example>> = {
  string: text,
  text,
  unknown: text,
  integer: () => 1,
  bigInteger: () => '1',
  decimal,
  float: () => 1.5,
  boolean: () => true,
  date: () => '2026-01-31',
  time: (field) => `12:30:00${fraction(field)}`,
  dateTime: (field) => `2026-01-31T12:30:00${fraction(field)}`,
  timestamp: (field) => `2026-01-31T12:30:00${fraction(field)}Z`,
  uuid: () => '0b7b1f5e-3f7a-4a57-8a3b-6f1f2c9d4e5a',
  json: () => ({ key: 'value' }),
  csv: () => ['example'],
  binary: () => 'AAAA',
};

const exampleOf = (field: Field): unknown => examples[field.type](field);

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
