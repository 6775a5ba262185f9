/** Files of `svc import` and `svc export`. */
import { createReadStream, createWriteStream } from 'node:fs';
import { access, constants, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
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
  if (file !== '-' && extname(file) !== '.gz') return file;
  const path = join(folder, 'source');
  const target = createWriteStream(path);
  if (file === '-') await pipeline(process.stdin, target);
  else await pipeline(createReadStream(file), createGunzip(), target);
  return path;
};

/** Writes a file as a whole or not at all; `-` is stdout. */
export const writeWhole = async (content: Readable, file: string): Promise<void> => {
  if (file === '-') return pipeline(content, process.stdout, { end: false });
  const part = `${file}.part`;
  try {
    await pipeline(content, createWriteStream(part));
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
