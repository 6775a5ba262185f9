/** Writes the doc comments of fields, which editors show. */
import { fieldTypes } from '../../../contract/field-types.js';
import type { Field } from '../../model/types.js';

export const readComment = (field: Field): string | null =>
  sentences(
    field.note,
    (field.conceal || field.hash) && 'Concealed: asterisks where there is a value.',
    field.generated && 'Computed by the database.',
    fieldTypes[field.type].note,
  );

export const writeComment = (field: Field): string | null =>
  sentences(
    field.note,
    field.hash && 'Stored as a hash.',
    field.readonly && 'Written by administrators only.',
    field.fill !== null && 'Filled in by the server when absent.',
    field.autoIncrement && 'Counted by the database when absent.',
    field.defaultValue !== null && `${JSON.stringify(field.defaultValue)} when absent.`,
    fieldTypes[field.type].note,
  );

const sentences = (...parts: readonly (string | false | null)[]): string | null => {
  const present = parts.filter((part) => typeof part === 'string' && part !== '');
  return present.length === 0 ? null : present.join('\n');
};
