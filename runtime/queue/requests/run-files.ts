/** Files that a run stores, with signed URLs. */
import type { SavedFile } from '../../../contract/queue-model.js';
import type { QueueSettings } from '../settings.js';
import { isFileName, signFile, type FileStore } from './files.js';

export interface RunFilesOptions {
  readonly files: FileStore;
  readonly settings: Pick<QueueSettings, 'publicUrl' | 'secrets' | 'fileTtl'>;
  /** Lifetime in seconds requested by the caller; `null` for the retention of the server. */
  readonly ttl: number | null;
}

/** A file that a run has written to the spool folder under the name `spooled`. */
export interface SpooledFile {
  readonly name: string;
  readonly contentType: string;
  readonly spooled: string;
}

export interface RunFiles {
  /** Moves a file to the store and returns its signed URL. */
  adopt(file: SpooledFile): Promise<SavedFile>;
  /** Returns the number of files that were stored. */
  count(): number;
}

const fileNameRule =
  'write up to 128 letters from a to z, digits and "._-", with a letter, digit or "_" first, and no path';

/** Returns the files of a run. */
export const createRunFiles = (request: string, { files, settings, ttl }: RunFilesOptions): RunFiles => {
  let count = 0;
  return {
    count: () => count,
    async adopt({ name, contentType, spooled }) {
      if (!isFileName(name)) throw new Error(`${JSON.stringify(name)} is not a file name: ${fileNameRule}`);
      const size = await files.adopt({ request, name, spooled });
      count += 1;
      const lasts = ttl === null ? settings.fileTtl : Math.min(settings.fileTtl, ttl * 1000);
      const expires = Math.ceil((Date.now() + lasts) / 1000);
      const signed = { request, name, expires };
      const url = await files.sign?.(signed);
      return {
        url: url ?? settings.publicUrl() + signFile(signed, settings.secrets[0] as Buffer),
        content_type: contentType,
        file_name: name,
        file_size: size,
      };
    },
  };
};
