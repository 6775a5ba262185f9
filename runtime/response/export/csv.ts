/**
 * Prints CSV: objects as columns with points in their names, lists as JSON. Texts that a spreadsheet would take for a
 * formula get an apostrophe in front, and so do texts that begin with one, so that an import can take it away again.
 */
import type { ExportedItem } from './printer.js';

/** Cells of an item by the name of their column. */
export type CsvRow = ReadonlyMap<string, unknown>;

/** Returns the cells of an item. */
export const toCells = (item: ExportedItem): CsvRow => {
  const cells = new Map<string, unknown>();
  addCells(item, '', cells);
  return cells;
};

const addCells = (item: ExportedItem, prefix: string, cells: Map<string, unknown>): void => {
  for (const [name, value] of Object.entries(item)) {
    if (isRecord(value)) addCells(value, `${prefix}${name}.`, cells);
    else cells.set(prefix + name, value);
  }
};

/** An object with columns of its own; an empty one is a cell. */
const isRecord = (value: unknown): value is ExportedItem =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

/** Prints the names, each in quotes, without a line break. */
export const printHeader = (columns: Iterable<string>): string =>
  [...columns].map((name) => printText(name)).join(',');

/**
 * Prints a row of CSV.
 * @param digits columns whose texts are numbers: 64-bit integers and decimals
 */
export const printCsvRow = (
  cells: CsvRow,
  columns: Iterable<string>,
  digits: ReadonlySet<string>,
): string => {
  const printed: string[] = [];
  for (const name of columns) printed.push(printCell(cells.get(name), digits.has(name)));
  return printed.join(',');
};

const printCell = (value: unknown, isDigits: boolean): string => {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return isDigits ? value : printText(value);
  return typeof value === 'object' ? quoted(JSON.stringify(value)) : String(value);
};

const printText = (text: string): string => quoted(/^[=+\-@\t\r']/.test(text) ? `'${text}` : text);

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
