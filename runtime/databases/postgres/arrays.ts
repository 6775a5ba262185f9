/** Converts arrays in PostgreSQL's text format to JSON. */
import type { Field } from '../../../contract/collection.js';
import type { FieldType } from '../../../contract/field-types.js';
import { elementOf } from '../../plan/elements.js';
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

/** Matches braces, commas, quoted and unquoted elements. */
const arrayTokens = /[{},]|"(?:[^"\\]|\\.)*"|[^{},"]+/gs;

type ToJson = (text: string) => string;

/** Returns the converter of an array type such as `integer[]`: `{1,NULL,"a b"}` → `[1,null,"a b"]`. */
export const arrayToJson = (array: Pick<Field, 'dbType'>): ToJson => {
  const elementToJson = elementWriter(array);
  return (text) => {
    // bounds other than 1 precede the elements: `[0:1]={1,2}`
    const tokens = text.slice(text.indexOf('{')).match(arrayTokens) ?? [];
    return tokens.map((token) => arrayTokenToJson(token, elementToJson)).join('');
  };
};

const elementWriter = (array: Pick<Field, 'dbType'>): ToJson => {
  const element = elementOf(array);
  if (element === null) return JSON.stringify;
  const toJson = cellToJson(element);
  const oid = oids[element.type] ?? postgresType.text;
  return (text) => toJson(textToCell(text, oid));
};

const arrayTokenToJson = (token: string, elementToJson: ToJson): string => {
  if (token === '{') return '[';
  if (token === '}') return ']';
  if (token === ',' || token === 'NULL') return token === ',' ? ',' : 'null';
  return elementToJson(token.startsWith('"') ? token.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : token);
};
