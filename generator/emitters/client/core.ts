/** Emits the hand-written part of the client, copied unchanged from `client/`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OutputFile } from '../../model/types.js';

/** Reads `client/` from the package, whether it runs from source or from `dist/`, sorted by name. */
export const emitCore = (): OutputFile[] => {
  const folder = findFolder(dirname(fileURLToPath(import.meta.url)));
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => ({ path: `client/src/${name}`, content: readFileSync(join(folder, name), 'utf8') }));
};

/** Finds `client/` next to the manifest of this package, from compiled and from source files. */
const findFolder = (directory: string): string =>
  existsSync(join(directory, 'package.json')) ? join(directory, 'client') : findFolder(dirname(directory));
