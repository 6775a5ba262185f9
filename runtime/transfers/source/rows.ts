/** Reads the rows of a file in any format of imports. */
import type { Collection } from '../../../contract/collection.js';
import type { ImportFormat } from '../../../contract/import-formats.js';
import { readCsv } from './csv.js';
import { readJsonArray } from './json-array.js';
import { readJsonLines } from './json-lines.js';
import type { Mapping } from './payload.js';
import type { OpenSource, SourcePosition, SourceRow } from './row.js';
import { requireText } from './utf8-stream.js';

export interface SourceOptions {
  readonly format: ImportFormat;
  readonly collection: Collection;
  readonly mapping: Mapping;
  /** Separates the cells of CSV. */
  readonly delimiter: string;
}

/** Reads the rows after a position. @throws SourceError where the file cannot be read on */
export const readRows = (
  openFile: OpenSource,
  from: SourcePosition,
  options: SourceOptions,
): AsyncIterable<SourceRow> => {
  const open: OpenSource = async (start) => {
    if (start === 0) await requireText(openFile);
    return openFile(start);
  };
  switch (options.format) {
    case 'csv':
      return readCsv(open, from, options);
    case 'json':
      return readJsonArray(open, from, options);
    case 'ndjson':
      return readJsonLines(open, from, options);
  }
};
