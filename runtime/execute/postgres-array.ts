/** Arrays as PostgreSQL writes them → JSON lists. */
import type { FieldType } from '../collection.js';
import { cellToJson } from './cells.js';
import { postgresType, textToCell } from './postgres-values.js';

interface ElementType {
  readonly field: FieldType;
  readonly oid: number;
}

/** Elements that are no texts on the wire, by the names of their types. */
const elementTypes: ReadonlyMap<string, ElementType> = new Map([
  ['smallint', { field: 'integer', oid: postgresType.smallint }],
  ['integer', { field: 'integer', oid: postgresType.integer }],
  ['real', { field: 'float', oid: postgresType.real }],
  ['double precision', { field: 'float', oid: postgresType.double }],
  ['boolean', { field: 'boolean', oid: postgresType.boolean }],
  ['json', { field: 'json', oid: postgresType.json }],
  ['jsonb', { field: 'json', oid: postgresType.jsonb }],
  ['timestamp without time zone', { field: 'dateTime', oid: postgresType.timestamp }],
  ['timestamp with time zone', { field: 'timestamp', oid: postgresType.timestamptz }],
]);

/** Braces, commas, quoted elements, and elements without quotes. */
const arrayTokens = /[{},]|"(?:[^"\\]|\\.)*"|[^{},"]+/gs;

/** `{1,NULL,"a b"}` → `[1,null,"a b"]`; `type` is the name of the array's type, such as `integer[]`. */
export const arrayToJson = (text: string, type: string): string => {
  const element = elementTypes.get(type.replace(/\(\d.*\)/, '').slice(0, -2));
  // bounds that do not begin at 1 are told in front: `[0:1]={1,2}`
  const tokens = text.slice(text.indexOf('{')).match(arrayTokens) ?? [];
  return tokens.map((token) => arrayTokenToJson(token, element)).join('');
};

const arrayTokenToJson = (token: string, element: ElementType | undefined): string => {
  if (token === '{') return '[';
  if (token === '}') return ']';
  if (token === ',' || token === 'NULL') return token === ',' ? ',' : 'null';
  const text = token.startsWith('"') ? token.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : token;
  if (element === undefined) return JSON.stringify(text);
  return cellToJson({ name: '', type: element.field })(textToCell(text, element.oid));
};
