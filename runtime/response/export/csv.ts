/**
 * Prints CSV: objects as columns with points in their names, lists as JSON. Texts that a spreadsheet would take for a
 * formula get an apostrophe in front, and so do texts that begin with one, so that an import can take it away again.
 */
import type { ExportedItem } from './printer.js';

/** Cells of an item by the name of their column. */
export type CsvRow = ReadonlyMap<string, unknown>;

/** Columns, by their paths, whose values say too little of how they are printed. */
export interface CsvFields {
  /** Columns whose texts are numbers: 64-bit integers and decimals. */
  readonly digits: ReadonlySet<string>;
  /** Columns whose objects are one cell of JSON: geometries. */
  readonly wholes: ReadonlySet<string>;
}

/** Fields whose values say all. */
export const plainFields: CsvFields = { digits: new Set(), wholes: new Set() };

/** Returns the cells of an item. */
export const toCells = (item: ExportedItem, { wholes }: Pick<CsvFields, 'wholes'>): CsvRow => {
  const cells = new Map<string, unknown>();
  const add = (members: ExportedItem, prefix: string): void => {
    for (const [name, value] of Object.entries(members)) {
      const path = prefix + name;
      if (isRecord(value) && !wholes.has(path)) add(value, `${path}.`);
      else cells.set(path, value);
    }
  };
  add(item, '');
  return cells;
};

/** An object with columns of its own; an empty one is a cell. */
const isRecord = (value: unknown): value is ExportedItem =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

/** Prints the names, each in quotes, without a line break. */
export const printHeader = (columns: Iterable<string>): string =>
  [...columns].map((name) => printText(name)).join(',');

/** Prints a row of CSV. */
export const printCsvRow = (
  cells: CsvRow,
  columns: Iterable<string>,
  { digits }: Pick<CsvFields, 'digits'>,
): string => {
  const printed: string[] = [];
  for (const name of columns) printed.push(printCell(cells.get(name), digits.has(name)));
  return printed.join(',');
};

const printCell = (value: unknown, isDigits: boolean): string => {
  if (value === undefined || value === null) return '';
  // the targets of a many-to-any relation may have a text where another has a number
  if (typeof value === 'string') return isDigits && number.test(value) ? value : printText(value);
  return typeof value === 'object' ? quoted(JSON.stringify(value)) : String(value);
};

const number = /^-?\d+(?:\.\d+)?$/;

const printText = (text: string): string => quoted(/^[=+\-@\t\r']/.test(text) ? `'${text}` : text);

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
