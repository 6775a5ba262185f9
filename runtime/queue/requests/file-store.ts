/** Opens the store of files that the configuration names. */
import { join } from 'node:path';
import type { QueueSettings } from '../settings.js';
import { createDirectoryStore, type FileStore } from './files.js';
import { createObjectStore } from './object-store.js';

type FileSettings = Pick<QueueSettings, 'filesDir' | 'filesStore'>;

/** Opens the S3 store where one is configured, else the folder. */
export const createFileStore = ({ filesDir, filesStore }: FileSettings): FileStore =>
  filesStore === null
    ? createDirectoryStore(filesDir)
    : createObjectStore(filesStore, join(filesDir, '.spool'));
