/** The input of a transfer's request in the queue. */
import type { ExportFormat } from '../../contract/export-formats.js';
import type { ImportFormat } from '../../contract/import-formats.js';
import type { Mapping } from './source/payload.js';

/** The treatment of a row that cannot be stored: the import ends, or the row is reported and left out. */
export type OnError = 'stop' | 'report';

export interface ImportInput {
  readonly collection: string;
  readonly format: ImportFormat;
  readonly mapping: Mapping;
  readonly delimiter: string;
  readonly on_error: OnError;
  readonly dry_run: boolean;
  /** Parameters of the create that stores the rows, as a query string. */
  readonly query: string;
  /** Size of the file in bytes, and its SHA-256. */
  readonly size: number;
  readonly sha256: string;
  /** Address of the client. */
  readonly address: string;
}

export interface ExportInput {
  readonly collection: string;
  readonly format: ExportFormat;
  /** Parameters of the list, as in the body of SEARCH. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly address: string;
}
