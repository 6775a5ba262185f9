/** Files produced by models: a directory store and signed URLs that expire. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { isId } from '../store/ids.js';

/** Storage of files: a directory that servers and workers share, or an object store. */
export interface FileStore {
  /** Local folder in which runs write files before they are adopted. */
  readonly spool: string;
  /** Takes over a file of the spool folder, durably. @returns its size in bytes */
  adopt(file: AdoptedFile): Promise<number>;
  /** Returns null if the file does not exist. @param start the first byte that is read; the size is of what is read */
  read(
    request: string,
    name: string,
    start?: number,
  ): Promise<{ readonly stream: Readable; readonly size: number } | null>;
  /** Removes a file. */
  remove(request: string, name: string): Promise<void>;
  /** Returns a URL that the store itself verifies; absent where the server signs and returns files. */
  sign?(file: SignedFile): Promise<string>;
  /**
   * Removes the files of requests last written before a Unix time in milliseconds. @returns the number of
   * requests
   */
  removeBefore(time: number): Promise<number>;
}

export interface AdoptedFile {
  readonly request: string;
  readonly name: string;
  /** Name in the spool folder, a UUID. */
  readonly spooled: string;
}

/** Stores files in one directory per request, and spools them in the same file system. */
export const createDirectoryStore = (root: string): FileStore => ({
  spool: join(root, '.spool'),
  async adopt({ request, name, spooled }) {
    if (!isId(spooled)) throw new Error('a spooled file has a UUID as its name');
    const folder = join(root, request);
    const source = join(root, '.spool', spooled);
    await flush(source);
    const created = await mkdir(folder, { recursive: true });
    const file = join(folder, name);
    await rename(source, file);
    // the request is about to be recorded as one that has this file
    await flush(folder);
    if (created !== undefined) await flush(root);
    return (await stat(file)).size;
  },
  async read(request, name, start = 0) {
    const file = join(root, request, name);
    const found = await stat(file).catch(() => null);
    if (found?.isFile() !== true) return null;
    return { stream: createReadStream(file, { start }), size: found.size - start };
  },
  remove: (request, name) => rm(join(root, request, name), { force: true }),
  async removeBefore(time) {
    // left behind by runs that were killed
    await removeOld(join(root, '.spool'), time);
    return removeOld(root, time);
  },
});

/** Waits until a file, or the names in a folder, would outlast a loss of power. */
const flush = async (path: string): Promise<void> => {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Removes entries with a UUID as their name that were last changed before a time. @returns their number */
const removeOld = async (folder: string, time: number): Promise<number> => {
  const names = await readdir(folder).catch(() => []);
  let removed = 0;
  for (const path of names.filter(isId).map((name) => join(folder, name))) {
    const found = await stat(path).catch(() => null);
    if (found === null || found.mtimeMs >= time) continue;
    await rm(path, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
};

/** Returns whether a name has only letters, digits and `._-` and no leading `.` or `-`, so that it is never a path. */
export const isFileName = (name: string): boolean => /^[A-Za-z0-9_][\w.-]{0,127}$/.test(name);

/** Returns the signed path `/files/…`, relative to the URL of the server. */
export const signFile = ({ request, name, expires }: SignedFile, secret: Buffer): string =>
  `/files/${request}/${name}?expires=${expires}&signature=${signatureOf({ request, name, expires }, secret)}`;

export interface SignedFile {
  readonly request: string;
  readonly name: string;
  /** Unix time in seconds. */
  readonly expires: number;
}

const signatureOf = ({ request, name, expires }: SignedFile, secret: Buffer): string =>
  createHmac('sha256', secret).update(`file\n${request}\n${name}\n${expires}`).digest('base64url');

/**
 * Compares a signature in constant time with that of each secret, so that older URLs stay valid after a
 * rotation.
 */
export const isSignatureOf = (file: SignedFile, signature: string, secrets: readonly Buffer[]): boolean => {
  const given = Buffer.from(signature);
  return secrets.some((secret) => {
    const expected = Buffer.from(signatureOf(file, secret));
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
};

const contentTypes: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['json', 'application/json'],
  ['csv', 'text/csv; charset=utf-8'],
  ['ndjson', 'application/x-ndjson; charset=utf-8'],
  ['xml', 'text/xml; charset=utf-8'],
  ['yaml', 'text/yaml; charset=utf-8'],
  ['txt', 'text/plain; charset=utf-8'],
]);

/** Returns the media type for a file extension; active content such as HTML is served as octet-stream. */
export const contentTypeOf = (name: string): string =>
  contentTypes.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase()) ?? 'application/octet-stream';
