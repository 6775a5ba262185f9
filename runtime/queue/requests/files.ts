/** Files produced by models: a directory store and signed URLs that expire. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isId } from '../store/ids.js';

/** Storage of files; an object store can implement it as well. */
export interface FileStore {
  write(request: string, name: string, bytes: Uint8Array): Promise<void>;
  /** Returns null if the file does not exist. */
  read(request: string, name: string): Promise<{ readonly stream: ReadStream; readonly size: number } | null>;
  /**
   * Removes the files of requests last written before a Unix time in milliseconds. @returns the number of
   * requests
   */
  removeBefore(time: number): Promise<number>;
}

/** Stores files in one directory per request. */
export const createDirectoryStore = (root: string): FileStore => ({
  async write(request, name, bytes) {
    const folder = join(root, request);
    await mkdir(folder, { recursive: true });
    const file = join(folder, name);
    const part = `${file}.${process.pid}.part`;
    await writeFile(part, bytes);
    await rename(part, file);
  },
  async read(request, name) {
    const file = join(root, request, name);
    const found = await stat(file).catch(() => null);
    return found?.isFile() === true ? { stream: createReadStream(file), size: found.size } : null;
  },
  async removeBefore(time) {
    const folders = await readdir(root).catch(() => []);
    const old: string[] = [];
    for (const name of folders.filter(isId)) {
      const found = await stat(join(root, name)).catch(() => null);
      if (found !== null && found.mtimeMs < time) old.push(name);
    }
    for (const name of old) await rm(join(root, name), { recursive: true, force: true });
    return old.length;
  },
});

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
  ['txt', 'text/plain; charset=utf-8'],
]);

/** Returns the media type for a file extension; active content such as HTML is served as octet-stream. */
export const contentTypeOf = (name: string): string =>
  contentTypes.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase()) ?? 'application/octet-stream';
