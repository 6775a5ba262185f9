/** The input of a transfer's request in the queue. */
import type { ExportFormat } from '../../contract/export-formats.js';
import type { FileStore } from '../queue/requests/files.js';
import type { Mapping } from './source/payload.js';

export const importFormats = ['csv', 'json', 'ndjson'] as const;
export type ImportFormat = (typeof importFormats)[number];

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

/** Name of the stored file of an import. */
export const sourceName = 'import';

/** Returns whether this host has the file of an import, or an object store has it. */
export const hasSource = async (files: Pick<FileStore, 'read'>, request: string): Promise<boolean> => {
  const file = await files.read(request, sourceName);
  file?.stream.destroy();
  return file !== null;
};

/** Name of the file with the rows that were not stored. */
export const rejectedName = 'rejected.csv';
