/** What an editor shows beside a field. */
import type { Field } from '../../model/types.js';

export const aboutRead = (field: Field): string | null =>
  sentences(
    field.note,
    (field.conceal || field.hash) && 'Concealed: asterisks where there is a value.',
    field.generated && 'Computed by the database.',
    aboutValue(field),
  );

export const aboutWrite = (field: Field): string | null =>
  sentences(
    field.note,
    field.hash && 'Stored as a hash.',
    field.readonly && 'Written by administrators only.',
    field.fill !== null && 'Filled in by the server when absent.',
    field.autoIncrement && 'Counted by the database when absent.',
    field.defaultValue !== null && `${JSON.stringify(field.defaultValue)} when absent.`,
    aboutValue(field),
  );

/** What the TypeScript type cannot say. */
const aboutValue = ({ type }: Field): string | null => {
  switch (type) {
    case 'bigInteger':
      return 'A whole number, as digits.';
    case 'decimal':
      return 'A decimal number, as digits.';
    case 'date':
      return 'YYYY-MM-DD';
    case 'time':
      return 'HH:MM:SS';
    case 'dateTime':
      return 'YYYY-MM-DDTHH:MM:SS';
    case 'timestamp':
      return 'YYYY-MM-DDTHH:MM:SSZ';
    case 'binary':
      return 'Base64.';
    default:
      return null;
  }
};

const sentences = (...parts: readonly (string | false | null)[]): string | null => {
  const said = parts.filter((part) => typeof part === 'string' && part !== '');
  return said.length === 0 ? null : said.join('\n');
};
