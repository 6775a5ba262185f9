/** Writes the tables of fields and of their filter operators. */
import { fieldTypes } from '../../../contract/field-types.js';
import type { Collection, Field } from '../../model/types.js';
import { code, table, text } from '../../print/markdown.js';
import { filtersOf } from './filters.js';

const fieldColumns = ['Name', 'Type', 'On the wire', 'Required', 'Null', 'Default', 'Note'];

export const fieldTable = ({ fields }: Collection): string => table(fieldColumns, fields.map(fieldRow));

/** Writes one row per set of operators, with the fields that support it. */
export const filterTable = ({ fields }: Collection): string => {
  const bySet = new Map<string, Field[]>();
  for (const field of fields) {
    const operators = filtersOf(field).map(code).join(' ');
    bySet.set(operators, [...(bySet.get(operators) ?? []), field]);
  }
  const rows = [...bySet].map(([operators, supporting]) => [
    supporting.map(({ name }) => code(name)).join(', '),
    operators,
  ]);
  return table(['Fields', 'Operators'], rows);
};

const fieldRow = (field: Field): string[] => [
  code(field.name),
  field.type,
  wireOf(field),
  field.required ? 'yes' : '',
  field.nullable ? 'yes' : '',
  defaultOf(field),
  noteOf(field),
];

const wireOf = (field: Field): string => {
  const { wireForm, example } = fieldTypes[field.type];
  const { type, length, values, precision, scale, bits, unsigned } = field;
  const limits = [
    length === null ? null : `at most ${count(length, type === 'binary' ? 'byte' : 'character')}`,
    precision === null ? null : `${count(precision, 'digit')}, ${scale ?? 0} of them after the point`,
    type === 'integer' && bits !== null ? (bits > 53 ? 'up to 2^53' : `${bits} bits`) : null,
    unsigned ? 'not negative' : null,
    values === null ? null : `one of ${values.map(code).join(', ')}`,
  ].filter((limit) => limit !== null);
  return [wireForm ?? code(JSON.stringify(example(field))), ...limits].join(', ');
};

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;

const defaultOf = ({ autoIncrement, generated, fill, defaultValue, hasDefault }: Field): string => {
  if (autoIncrement) return 'counted by the database';
  if (generated) return 'computed by the database';
  if (fill !== null) return fills[fill];
  if (defaultValue !== null) return code(JSON.stringify(defaultValue));
  return hasDefault ? 'made by the database' : '';
};

const fills: Readonly<Record<NonNullable<Field['fill']>, string>> = {
  uuid: 'a random UUID',
  'user-created': 'the user who creates',
  'user-updated': 'the user who changes',
  'date-created': 'the time of creation',
  'date-updated': 'the time of the last change',
};

const noteOf = (field: Field): string => {
  const sentences = [
    field.primaryKey ? 'Key.' : null,
    field.readonly ? 'Written by administrators only.' : null,
    field.hash ? 'Stored as a hash.' : null,
    field.conceal || field.hash ? 'Read as asterisks.' : null,
    field.note === null ? null : text(field.note),
    field.validationMessage === null ? null : text(field.validationMessage),
  ];
  return sentences.filter((sentence) => sentence !== null).join(' ');
};
