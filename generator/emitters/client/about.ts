/** What an editor shows beside a field. */
import { fieldTypes } from '../../../contract/field-types.js';
import type { Field } from '../../model/types.js';

export const aboutRead = (field: Field): string | null =>
  sentences(
    field.note,
    (field.conceal || field.hash) && 'Concealed: asterisks where there is a value.',
    field.generated && 'Computed by the database.',
    fieldTypes[field.type].note,
  );

export const aboutWrite = (field: Field): string | null =>
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
  const said = parts.filter((part) => typeof part === 'string' && part !== '');
  return said.length === 0 ? null : said.join('\n');
};
