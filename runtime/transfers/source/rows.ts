/** Reads the rows of a file in any format of imports. */
import type { Collection } from '../../../contract/collection.js';
import type { ImportFormat } from '../../../contract/import-formats.js';
import { readCsv } from './csv.js';
import { readJsonArray } from './json-array.js';
import { readJsonLines } from './json-lines.js';
import type { Mapping } from './payload.js';
import type { OpenSource, SourcePosition, SourceRow } from './row.js';

export interface SourceOptions {
  readonly format: ImportFormat;
  readonly collection: Collection;
  readonly mapping: Mapping;
  /** Separates the cells of CSV. */
  readonly delimiter: string;
}

/** Reads the rows after a position. @throws SourceError where the file cannot be read on */
export const readRows = (
  open: OpenSource,
  from: SourcePosition,
  options: SourceOptions,
): AsyncIterable<SourceRow> => {
  switch (options.format) {
    case 'csv':
      return readCsv(open, from, options);
    case 'json':
      return readJsonArray(open, from, options.mapping);
    case 'ndjson':
      return readJsonLines(open, from, options.mapping);
  }
};
