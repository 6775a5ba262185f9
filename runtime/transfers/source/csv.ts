/**
 * Reads rows of CSV. The first line names the columns. A cell that is empty and not quoted is left out; a leading
 * apostrophe, which exports put before texts that a spreadsheet would take for a formula, is taken away.
 */
import { Readable } from 'node:stream';
import { CsvError, parse, type Info } from 'csv-parse';
import type { Collection } from '../../../contract/collection.js';
import { parseJson } from '../../../contract/json.js';
import { fieldOf, findCollision, jsonIn, pathOf, setValue, type Mapping } from './payload.js';
import {
  fault,
  maxRowBytes,
  SourceError,
  type OpenSource,
  type SourcePosition,
  type SourceRow,
} from './row.js';
import { requireUtf8 } from './utf8-stream.js';

export interface CsvOptions {
  readonly collection: Collection;
  readonly mapping: Mapping;
  readonly delimiter: string;
}

type Cells = readonly (string | undefined)[];

interface Parsed {
  readonly record: readonly string[];
  /** The row as it is in the file. */
  readonly raw: string;
  readonly info: Info;
}

/** A row and where it ends. */
interface CsvRow {
  readonly cells: Cells;
  readonly info: Info;
}

/** A column of the file; `path` is null where it is left out. */
interface Column {
  readonly name: string;
  readonly path: readonly string[] | null;
  readonly json: ReturnType<typeof jsonIn>;
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
  for await (const { cells, info } of parseCsv(await open(begin.position), begin, options)) {
    const end = { position: begin.position + info.bytes, line: begin.line + info.lines };
    yield { line: end.line - countBreaks(cells), end, item: toItem(cells, header.columns) };
  }
}

/** Counts the line breaks inside the cells of a row. */
const countBreaks = (cells: Cells): number =>
  cells.reduce((count, cell) => count + (cell?.includes('\n') === true ? cell.split('\n').length - 1 : 0), 0);

const readHeader = async (
  open: OpenSource,
  options: CsvOptions,
): Promise<{ readonly columns: readonly Column[]; readonly end: SourcePosition } | null> => {
  for await (const { cells, info } of parseCsv(await open(0), { position: 0, line: 0 }, options)) {
    requireDelimiter(cells, options);
    const columns = cells.map((name = '') => {
      const { mapping, collection } = options;
      const field = fieldOf(name, mapping);
      const path = field === null ? null : pathOf(field, collection);
      return { name, path, json: path === null ? 'none' : jsonIn(path, collection) };
    });
    requireDistinct(
      columns.map(({ name }) => name),
      options.mapping,
    );
    return { columns, end: { position: info.bytes, line: info.lines } };
  }
  return null;
};

/** Characters that may separate cells. */
export const delimiters = [',', ';', '\t', '|'] as const;

/** @throws SourceError for a first line with one column, whose name is that of no field, but holds another delimiter */
const requireDelimiter = ([name, ...others]: Cells, { delimiter, mapping, collection }: CsvOptions): void => {
  if (name === undefined || others.length > 0) return;
  if (Object.hasOwn(mapping, name) || collection.fields.has(name)) return;
  const other = delimiters.find((each) => each !== delimiter && name.includes(each));
  if (other === undefined) return;
  const printed = other === '\t' ? 'a tab' : `"${other}"`;
  throw new SourceError(
    `the first line has one column, "${name}"; if ${printed} separates its cells, set "delimiter" to it`,
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

async function* parseCsv(
  stream: Readable,
  { position, line }: SourcePosition,
  { delimiter }: CsvOptions,
): AsyncGenerator<CsvRow, void, void> {
  const parser = parse({
    bom: position === 0,
    info: true,
    raw: true,
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRowBytes,
  });
  const text = Readable.from(requireUtf8(stream, line), { objectMode: false });
  text.once('error', (error) => parser.destroy(error));
  try {
    for await (const { record, raw, info } of text.pipe(parser) as unknown as AsyncIterable<Parsed>)
      yield { cells: readCells(record, raw, delimiter), info };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new SourceError(`the file is not CSV: ${error.message}`, line + Number(error.lines ?? 0));
  } finally {
    text.destroy();
    stream.destroy();
  }
}

/** Reads the cells of a row. The parser tells of each cell whether it is quoted, but takes five times as long then. */
const readCells = (record: readonly string[], raw: string, delimiter: string): Cells => {
  const quoted = record.includes('') && raw.includes('""') ? quotedCells(raw, delimiter) : null;
  return record.map((text, index) => {
    if (text === '') return quoted?.[index] === true ? text : undefined;
    return text.startsWith("'") ? text.slice(1) : text;
  });
};

/** Returns of each cell of a row whether it is quoted. */
const quotedCells = (raw: string, delimiter: string): readonly boolean[] => {
  const quoted: boolean[] = [];
  // the parser puts the empty lines before a row in front of it
  let start = /^[\r\n]*/.exec(raw)?.[0].length ?? 0;
  while (start !== -1) {
    const isQuoted = raw[start] === '"';
    quoted.push(isQuoted);
    let end = start;
    if (isQuoted) {
      do end = raw.indexOf('"', end + 1) + 1;
      while (end !== 0 && raw[end] === '"');
    }
    const next = raw.indexOf(delimiter, end);
    start = next === -1 ? -1 : next + delimiter.length;
  }
  return quoted;
};

const toItem = (cells: Cells, columns: readonly Column[]): SourceRow['item'] => {
  if (cells.length > columns.length)
    return fault(`the row has ${cells.length} cells, and the file ${columns.length} columns`);
  const item: Record<string, unknown> = {};
  for (const [index, { name, path, json }] of columns.entries()) {
    const cell = cells[index];
    if (cell === undefined || path === null) continue;
    const value = readCell(cell, json);
    if (value === undefined) return fault(`"${name}" takes a list as JSON`, name);
    setValue(item, path, value);
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
