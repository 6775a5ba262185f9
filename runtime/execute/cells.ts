/** Rows that a driver gives as plain values, written as JSON by the tokens of their select. */
import type { Field } from '../collection.js';
import { asterisks } from './concealed.js';
import { joinKey } from '../sql/key.js';
import type { Token } from '../sql/select.js';
import type { RowCollector } from './row-set.js';

export type CellValue = string | number | bigint | Buffer | null;

/** Reads the row from `first` on: columns before it are the parent's key. */
export const writeCells = (
  tokens: readonly Token[],
  cells: readonly CellValue[],
  { collector, first }: { readonly collector: RowCollector; readonly first: number },
): void => {
  const { writer } = collector;
  let column = first;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as Token;
    switch (token.kind) {
      case 'literal':
        writer.reserve(token.bytes.length);
        writer.copy(token.bytes, 0, token.bytes.length);
        break;
      case 'value':
        writer.text(cellToJson(token.field, cells[column++] ?? null));
        break;
      case 'one':
        if ((cells[token.isShared ? column : column++] ?? null) !== null) break;
        writer.text('null');
        index += token.skipTokens;
        column += token.skipColumns;
        break;
      case 'list':
      case 'key': {
        const key = cells.slice(column, column + token.columns);
        column += token.columns;
        if (token.kind === 'list') collector.hole(token.list, cellsToKey(key));
        else writer.text(JSON.stringify(key.map(cellToText).join(',')));
        break;
      }
    }
  }
};

/** `null` when a part is null: then there is no key. */
export const cellsToKey = (cells: readonly CellValue[]): string | null =>
  cells.includes(null) ? null : joinKey(cells.map(cellToText));

const cellToText = (cell: CellValue): string =>
  Buffer.isBuffer(cell) ? cell.toString('latin1') : String(cell);

/** A value in its wire form (decisions on numbers, dates and lists are those of the field types). */
export const cellToJson = (field: Field, cell: CellValue): string => {
  if (cell === null) return 'null';
  if (field.conceal === true || field.hash === true) return asterisks;
  switch (field.type) {
    case 'integer':
    case 'float':
      return numberToJson(cell);
    case 'boolean':
      return cell === 0 || cell === 0n || cell === '0' || cell === '' ? 'false' : 'true';
    case 'decimal':
      return JSON.stringify(decimalText(cell, field.scale));
    case 'time':
      return JSON.stringify(withFraction(String(cell), field));
    case 'dateTime':
      return JSON.stringify(withFraction(isoMoment(cell), field));
    case 'timestamp':
      return JSON.stringify(withFraction(isoMoment(cell), field).replace(/Z?$/, 'Z'));
    case 'json':
      return jsonText(cell);
    case 'csv':
      return JSON.stringify(cell === '' ? [] : String(cell).split(','));
    case 'binary':
      return JSON.stringify(
        Buffer.isBuffer(cell) ? cell.toString('base64') : Buffer.from(String(cell)).toString('base64'),
      );
    default:
      return JSON.stringify(Buffer.isBuffer(cell) ? cell.toString('base64') : String(cell));
  }
};

/** With as many digits after the second as the column has, where a database drops zeros. */
const withFraction = (moment: string, { fraction = 0 }: Field): string => {
  const found = /^(.*:\d\d)(?:\.(\d+))?$/.exec(moment);
  if (found === null || fraction === 0 || fraction === mostDigits) return moment;
  return `${found[1]}.${(found[2] ?? '').padEnd(fraction, '0')}`;
};

/** Such a column shows the digits there are. */
const mostDigits = 6;

/** With as many digits after the point as the column has. */
const decimalText = (cell: CellValue, scale: number | undefined): string => {
  if (typeof cell === 'number' && scale !== undefined) return cell.toFixed(scale);
  return typeof cell === 'bigint' && scale !== undefined && scale > 0
    ? `${cell}.${'0'.repeat(scale)}`
    : String(cell);
};

/** A column may hold what its type does not promise; then it is shown as text. */
const numberToJson = (cell: CellValue): string => {
  if (typeof cell === 'bigint') return String(cell);
  return typeof cell === 'number' && Number.isFinite(cell) ? String(cell) : JSON.stringify(String(cell));
};

/** Text as it was stored, with `T`; a number is seconds since 1970. */
const isoMoment = (cell: CellValue): string => {
  if (typeof cell !== 'number' && typeof cell !== 'bigint') return String(cell).replace(' ', 'T');
  const date = new Date(Number(cell) * 1000);
  return Number.isNaN(date.getTime()) ? String(cell) : date.toISOString().slice(0, 19);
};

const jsonText = (cell: CellValue): string => {
  const text = String(cell);
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
};
