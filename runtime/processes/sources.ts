/** Source files of a project's own modules. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * Finds source files.
 * @returns the modules and their relative imports, transitively, in a stable order; no packages
 */
export const sourcesOf = (modules: readonly string[]): readonly string[] => {
  const found = new Set(modules.flatMap(findFile));
  // a Set also iterates over entries that are added meanwhile
  for (const file of found) {
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(relativeImport)) {
      for (const imported of findFile(resolve(dirname(file), path))) found.add(imported);
    }
  }
  return [...found].toSorted();
};

/** Returns all files below a folder, in a stable order; none where there is no folder. */
export const filesBelow = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
    : [];

/** Hashes names and contents of all files below folders. */
export const hashFiles = (folders: readonly string[]): string => {
  const hash = createHash('sha256');
  for (const file of folders.flatMap(filesBelow))
    hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  return hash.digest('hex');
};

const relativeImport = /\b(?:from|import|import\(|require\()\s*['"](\.\.?\/[^'"]+)['"]/g;

const extensions = ['', '.ts', '.mts', '.js', '.mjs', '.json'];

/** Resolves a path as esbuild does: `x.js` may be written as `x.ts`. */
const findFile = (path: string): readonly string[] => {
  const bare = path.replace(/\.([cm]?)js$/, '');
  const candidates = [path, bare].flatMap((start) => extensions.map((extension) => start + extension));
  const file = candidates.find((each) => existsSync(each) && statSync(each).isFile());
  return file === undefined ? [] : [file];
};
