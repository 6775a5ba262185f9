/** Files of `svc import` and `svc export`. */
import { createReadStream, createWriteStream } from 'node:fs';
import { access, constants, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { Refusal } from '../../config/refusal.js';

/** Runs `body` with a folder of its own, which is removed afterwards. */
export const withFolder = async <Result>(body: (folder: string) => Promise<Result>): Promise<Result> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-transfer-'));
  try {
    return await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/**
 * Returns a path at which the content of a file lies uncompressed: a copy in `folder` for stdin (`-`) and for `.gz`.
 * @throws Refusal for a file that cannot be read
 */
export const openSource = async (file: string, folder: string): Promise<string> => {
  if (file !== '-')
    await access(file, constants.R_OK).catch(({ code }: NodeJS.ErrnoException) => {
      throw new Refusal(`${file} cannot be read (${code})`);
    });
  if (file !== '-' && (await stat(file)).isDirectory()) throw new Refusal(`${file} is a folder`);
  if (file !== '-' && extname(file) !== '.gz') return file;
  const path = join(folder, 'source');
  const target = createWriteStream(path);
  if (file === '-') await pipeline(process.stdin, target);
  else
    await pipeline(createReadStream(file), createGunzip(), target).catch((error: NodeJS.ErrnoException) => {
      if (error.code?.startsWith('Z_') !== true) throw error;
      throw new Refusal(`${file} is not compressed with gzip, or is not complete`);
    });
  return path;
};

/** Checks that a file can be written, before it is made; `-` is stdout. @throws Refusal */
export const requireWritable = async (file: string): Promise<void> => {
  if (file === '-') return;
  const found = await stat(file).catch(() => null);
  if (found?.isDirectory() === true) throw new Refusal(`${file} is a folder`);
  const place = found === null || found.isFile() ? dirname(file) : file;
  await access(place, constants.W_OK).catch(({ code }: NodeJS.ErrnoException) => {
    throw new Refusal(`${file} cannot be written (${code})`);
  });
};

/** Writes a file as a whole or not at all, compressed where its name ends in `.gz`; `-` is stdout. */
export const writeWhole = async (content: Readable, file: string): Promise<void> => {
  if (file === '-') return pipeline(content, process.stdout, { end: false });
  const found = await stat(file).catch(() => null);
  // a device or a pipe would be replaced by a file
  if (found?.isFile() === false) return pipeline(content, createWriteStream(file));
  const part = `${file}.part`;
  try {
    if (extname(file) === '.gz') await pipeline(content, createGzip(), createWriteStream(part));
    else await pipeline(content, createWriteStream(part));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
};

/**
 * Returns the format that an option or the end of a file name says, which `.gz` may follow.
 * @throws Refusal naming the formats
 */
export const chooseFormat = <Format extends string>(
  { format, file }: { readonly format: string | undefined; readonly file: string },
  endings: Readonly<Record<string, Format>>,
): Format => {
  const name = file.endsWith('.gz') ? file.slice(0, -'.gz'.length) : file;
  const known = [...new Set(Object.values(endings))];
  const chosen =
    format === undefined ? endings[extname(name).slice(1)] : known.find((each) => each === format);
  if (chosen !== undefined) return chosen;
  const list = known.join(', ');
  throw new Refusal(
    format === undefined
      ? `the name ${file} has no known format; add --format: ${list}`
      : `--format takes ${list}`,
  );
};
