/** Locates this package on disk: compiled (`dist/runtime`) or as source (`runtime`). */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(import.meta.url);

const findRoot = (directory: string): string =>
  existsSync(join(directory, 'package.json')) ? directory : findRoot(dirname(directory));

/** Folder that holds the package's `package.json`, `spec/` and `demo/`. */
export const packageRoot = findRoot(dirname(here));

/** Version of the package. */
export const packageVersion = (
  JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }
).version;

/** Returns the file of a runtime module with the running extension: `modulePath('processes/build')`. */
export const modulePath = (name: string): string =>
  join(dirname(here), '..', `${name}${here.slice(here.lastIndexOf('.'))}`);
