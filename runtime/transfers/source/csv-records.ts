/** Splits CSV into rows of cells. */
import type { Readable } from 'node:stream';
import { CsvError, Parser, type Info, type Options } from 'csv-parse';
import { maxRowBytes, SourceError, type SourcePosition } from './row.js';
import { requireUtf8 } from './utf8-stream.js';

/** Cells of a row; undefined for those that are empty and not quoted. */
export type Cells = readonly (string | undefined)[];

/** A row and where it is. */
export interface CsvRow {
  readonly cells: Cells;
  /** First line of the row, from 1. */
  readonly line: number;
  readonly end: SourcePosition;
}

interface Parsed {
  readonly record: readonly string[];
  /** The row as it is in the file. */
  readonly raw: string;
  readonly info: Info;
}

/**
 * Reads rows chunk by chunk; empty lines are skipped.
 * @param stream the file after `from`
 * @throws SourceError, after the last row before the fault, where the text is not CSV
 */
export async function* readRecords(
  stream: Readable,
  { position, line: before }: SourcePosition,
  { delimiter }: { readonly delimiter: string },
): AsyncGenerator<CsvRow, void, void> {
  let line = before;
  const toRow = ({ record, raw, info }: Parsed): CsvRow => {
    const first = line + countBreaks(blankBefore(raw)) + 1;
    // the parser counts the two characters of a break inside of a cell as two lines
    line += countBreaks(raw);
    const end = { position: position + info.bytes, line };
    return { cells: readCells(record, raw, delimiter), line: first, end };
  };
  const parser = new RecordParser({ ...common, bom: position === 0, delimiter });
  let notText: SourceError | null = null;
  try {
    for await (const chunk of requireUtf8(stream, before)) {
      if (chunk instanceof SourceError) {
        notText = chunk;
        break;
      }
      const fault = await parser.parse(chunk);
      for (const parsed of parser.takeRows()) yield toRow(parsed);
      if (fault !== null) throw toSourceError(fault, line + 1);
    }
    const fault = await parser.finish();
    // a row without an end is a part of the line that is not UTF-8
    for (const parsed of parser.takeRows())
      if (notText === null || /[\r\n]$/.test(parsed.raw)) yield toRow(parsed);
    if (notText !== null) throw notText;
    if (fault !== null) throw toSourceError(fault, line + 1);
  } finally {
    parser.destroy();
    stream.destroy();
  }
}

const common: Options = {
  info: true,
  raw: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  skip_empty_lines: true,
  max_record_size: maxRowBytes,
};

/** Keeps the rows of a chunk until they are taken: a stream that fails drops those before its fault. */
class RecordParser extends Parser {
  #rows: Parsed[] = [];
  #fault: Error | null = null;

  constructor(options: Options) {
    super(options);
    this.on('error', (error) => {
      this.#fault ??= error;
    });
  }

  override push(parsed: Parsed | null): boolean {
    if (parsed !== null) this.#rows.push(parsed);
    return true;
  }

  /** Parses a chunk, and returns why it cannot be read; null where it can. */
  parse(chunk: Buffer): Promise<Error | null> {
    return new Promise((resolve) => {
      this.write(chunk, (error) => resolve(this.#fault ?? error ?? null));
    });
  }

  /** Parses what is left at the end of the file. */
  finish(): Promise<Error | null> {
    return new Promise((resolve) => {
      this.end((error?: Error | null) => resolve(this.#fault ?? error ?? null));
    });
  }

  takeRows(): readonly Parsed[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}

const faults: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE:
    'a cell has a quote and does not begin with one; put the cell in quotes, and write those inside of it twice',
  CSV_INVALID_CLOSING_QUOTE: 'a cell goes on after its closing quote; write quotes inside of a cell twice',
  CSV_QUOTE_NOT_CLOSED: 'a cell has an opening quote and no closing one, in this row or one after it',
  CSV_MAX_RECORD_SIZE: `the row is longer than ${maxRowBytes} bytes`,
};

const toSourceError = (error: Error, line: number): Error =>
  error instanceof CsvError
    ? new SourceError(`the file is not CSV: ${faults[error.code] ?? error.message}`, line)
    : error;

/** Returns the empty lines that the parser puts in front of a row. */
const blankBefore = (raw: string): string => /^[\r\n]*/.exec(raw)?.[0] ?? '';

/** Counts line breaks. Of CRLF at the end of a row, the parser keeps the first character. */
const countBreaks = (text: string): number => {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) count += 1;
  }
  return count;
};

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
  let start = blankBefore(raw).length;
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
