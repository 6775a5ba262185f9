/** Converts arrays in PostgreSQL's text format to JSON. */
import type { FieldDeclaration, FieldElement } from '../../../contract/fields.js';
import type { FieldType } from '../../../contract/field-types.js';
import { cellToJson } from '../../execute/cells.js';
import { postgresType, textToCell } from './values.js';

/** Type as which array elements of each field type are read; other elements are read as text. */
const oids: Readonly<Partial<Record<FieldType, number>>> = {
  integer: postgresType.integer,
  float: postgresType.double,
  boolean: postgresType.boolean,
  string: postgresType.character,
  binary: postgresType.bytes,
  date: postgresType.date,
  dateTime: postgresType.timestamp,
  timestamp: postgresType.timestamptz,
};

/** Match braces, separators, quoted and unquoted elements. */
const arrayTokens = { ',': /[{},]|"(?:[^"\\]|\\.)*"|[^{},"]+/gs, ';': /[{};]|"(?:[^"\\]|\\.)*"|[^{};"]+/gs };

/** Returns what separates the elements of an array: a comma, except between boxes, which contain commas. */
export const separatorOf = ({ dbType }: Pick<FieldDeclaration, 'dbType'>): ',' | ';' =>
  dbType === 'box[]' ? ';' : ',';

type ToJson = (text: string) => string;

/** Returns the converter of arrays of a type: `{1,NULL,"a b"}` → `[1,null,"a b"]`. */
export const arrayToJson = (element: FieldElement, separator: ',' | ';'): ToJson => {
  const elementToJson = elementWriter(element);
  const pattern = arrayTokens[separator];
  return (text) => {
    // bounds other than 1 precede the elements: `[0:1]={1,2}`
    const tokens = text.slice(text.indexOf('{')).match(pattern) ?? [];
    return tokens.map((token) => arrayTokenToJson(token, elementToJson)).join('');
  };
};

const elementWriter = (element: FieldElement): ToJson => {
  if (element.type === 'unknown') return JSON.stringify;
  const toJson = cellToJson(element);
  const oid = oids[element.type] ?? postgresType.text;
  return (text) => toJson(textToCell(text, oid));
};

const arrayTokenToJson = (token: string, elementToJson: ToJson): string => {
  if (token === '{') return '[';
  if (token === '}') return ']';
  if (token === ',' || token === ';') return ',';
  if (token === 'NULL') return 'null';
  return elementToJson(token.startsWith('"') ? token.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : token);
};
