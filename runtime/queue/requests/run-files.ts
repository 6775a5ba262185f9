/** Files that a run stores, with signed URLs. */
import type { RunFiles } from '../../../contract/queue-model.js';
import type { QueueSettings } from '../settings.js';
import { isFileName, signFile, type FileStore } from './files.js';

export interface RunFilesOptions {
  readonly files: FileStore;
  readonly settings: Pick<QueueSettings, 'publicUrl' | 'secrets' | 'fileTtl'>;
  /** Lifetime in seconds requested by the caller; `null` for the retention of the server. */
  readonly ttl: number | null;
}

/** Returns the file API of a run: it stores files and returns signed URLs. */
export const createRunFiles = (request: string, { files, settings, ttl }: RunFilesOptions): RunFiles => ({
  async save(name, contentType, bytes) {
    if (!isFileName(name)) throw new Error('a file name has letters, digits and "._-", and no path');
    await files.write(request, name, bytes);
    const lasts = ttl === null ? settings.fileTtl : Math.min(settings.fileTtl, ttl * 1000);
    const expires = Math.ceil((Date.now() + lasts) / 1000);
    return {
      url: settings.publicUrl() + signFile({ request, name, expires }, settings.secrets[0] as Buffer),
      content_type: contentType,
      file_name: name,
      file_size: bytes.byteLength,
    };
  },
});
