/**
 * Reads rows of CSV. The first line names the columns; before it, `sep=;` says what separates cells, as spreadsheets
 * write it. Rows without a value are skipped, as empty lines are. A cell that is empty and not quoted is left out; a leading
 * apostrophe, which exports put before texts that a spreadsheet would take for a formula, is taken away.
 */
import type { Collection } from '../../../contract/collection.js';
import { parseJson } from '../../../contract/json.js';
import { quoted } from '../../../contract/quoted.js';
import { readRecords, type Cells } from './csv-records.js';
import {
  byLength,
  fieldOf,
  findCollision,
  jsonIn,
  pathOf,
  printOverlap,
  setValue,
  type Mapping,
} from './payload.js';
import { fault, SourceError, type OpenSource, type SourcePosition, type SourceRow } from './row.js';

export interface CsvOptions {
  readonly collection: Collection;
  readonly mapping: Mapping;
  readonly delimiter: string;
}

/** A column of the file that is stored. */
interface Column {
  readonly name: string;
  readonly index: number;
  readonly path: readonly string[];
  readonly json: ReturnType<typeof jsonIn>;
}

/** The columns of the file. */
interface Header {
  /** Those that are stored, from the shortest path on. */
  readonly columns: readonly Column[];
  /** Indexes of those without a name, which spreadsheets put at the end. */
  readonly unnamed: readonly number[];
  readonly count: number;
  readonly delimiter: string;
  readonly end: SourcePosition;
}

/**
 * @param from where an earlier run ended; the start of the file for the first one
 * @throws SourceError where the text is not CSV
 */
export async function* readCsv(
  open: OpenSource,
  from: SourcePosition,
  options: CsvOptions,
): AsyncGenerator<SourceRow, void, void> {
  const header = await readHeader(open, options);
  if (header === null) return;
  const begin = from.position === 0 ? header.end : from;
  for await (const { cells, line, end } of readRecords(await open(begin.position), begin, header))
    if (cells.some((cell) => cell !== undefined)) yield { line, end, item: toItem(cells, header) };
}

const start: SourcePosition = { position: 0, line: 0 };

const readHeader = async (
  open: OpenSource,
  options: CsvOptions,
  from: SourcePosition = start,
): Promise<Header | null> => {
  const { mapping, collection, delimiter } = options;
  for await (const { cells, line, end } of readRecords(await open(from.position), from, options)) {
    const declared = line === 1 ? declaredDelimiter(cells, delimiter) : null;
    if (declared !== null) return readHeader(open, { ...options, delimiter: declared }, end);
    requireDelimiter(cells, options);
    const named = cells.flatMap((name = '', index) =>
      name === '' && !Object.hasOwn(mapping, name) ? [] : [{ name, index }],
    );
    const names = named.map(({ name }) => name);
    requireDistinct(names, mapping);
    requireMapped(names, mapping);
    const columns = named.flatMap(({ name, index }) => {
      const field = fieldOf(name, mapping);
      if (field === null) return [];
      const path = pathOf(field, collection);
      return [{ name, index, path, json: jsonIn(path, collection) }];
    });
    const taken = new Set(named.map(({ index }) => index));
    const unnamed = [...cells.keys()].filter((index) => !taken.has(index));
    return { columns: columns.toSorted(byLength), unnamed, count: cells.length, delimiter, end };
  }
  return null;
};

/** Characters that may separate cells. */
export const delimiters = [',', ';', '\t', '|'] as const;

/** Returns the delimiter that a line such as `sep=;` declares; null for another line. */
const declaredDelimiter = (cells: Cells, delimiter: string): string | null => {
  const [, declared] = /^sep=(.)$/i.exec(cells.map((cell = '') => cell).join(delimiter)) ?? [];
  return delimiters.find((each) => each === declared) ?? null;
};

/** @throws SourceError for a first line with one column, whose name is that of no field, but holds another delimiter */
const requireDelimiter = ([name, ...others]: Cells, { delimiter, mapping, collection }: CsvOptions): void => {
  if (name === undefined || others.length > 0) return;
  if (Object.hasOwn(mapping, name) || collection.fields.has(name)) return;
  const other = delimiters.find((each) => each !== delimiter && name.includes(each));
  if (other === undefined) return;
  const printed = other === '\t' ? 'a tab' : `"${other}"`;
  throw new SourceError(
    `the first line has one column, "${name}"; if ${printed} separates its cells, set the parameter "delimiter" to it`,
    1,
  );
};

/** @throws SourceError for a column that is there twice, and for two columns of one field */
const requireDistinct = (names: readonly string[], mapping: Mapping): void => {
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) throw new SourceError(`the column "${repeated}" is there twice`, 1);
  const collision = findCollision(names, mapping);
  if (collision !== null) throw new SourceError(collision, 1);
};

/** @throws SourceError for a field whose column the file has not */
const requireMapped = (names: readonly string[], mapping: Mapping): void => {
  const absent = Object.keys(mapping).find((name) => mapping[name] !== null && !names.includes(name));
  if (absent === undefined) return;
  throw new SourceError(`"mapping" names the column "${absent}", and the file has ${quoted(names)}`, 1);
};

const toItem = (cells: Cells, { columns, unnamed, count }: Header): SourceRow['item'] => {
  if (cells.length > count) return fault(`the row has ${cells.length} cells, and the file ${count} columns`);
  const stray = unnamed.find((index) => cells[index] !== undefined);
  if (stray !== undefined)
    return fault(`cell ${stray + 1} has a value, and its column no name in the first line`);
  const item: Record<string, unknown> = {};
  for (const { name, index, path, json } of columns) {
    const cell = cells[index];
    if (cell === undefined) continue;
    const value = readCell(cell, json);
    if (value === undefined) return fault(`"${name}" takes a list as JSON`, name);
    if (!setValue(item, path, value)) return fault(printOverlap(path), name);
  }
  return item;
};

/** Returns the value of a cell; undefined where it is not the JSON that it has to be. */
const readCell = (cell: string, json: Column['json']): unknown => {
  if (json === 'none') return cell;
  if (json === 'flags') return /^(?:true|false)$/i.test(cell) ? cell.toLowerCase() : cell;
  const value = parseJson(cell);
  return json === 'all' || Array.isArray(value) ? value : cell;
};
