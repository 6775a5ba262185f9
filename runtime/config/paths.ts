/** Paths of a project, relative to the working directory. */
import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packageRoot } from './package.js';

/** Committed output of `svc generate`. */
export const generatedFolder = 'generated';

/** Returns whether a folder is the package's own output, which the runtime itself imports. */
export const isPackageOutput = (folder: string): boolean =>
  resolve(folder) === join(packageRoot, generatedFolder);

/** Files that may be deleted at any time, except the embedded database. */
export const buildFolder = join('.svc', 'build');

/**
 * Returns the spec folders in load order: the package's own, then the team's. The default for `team` is
 * `spec/` of the working directory, if it exists.
 */
export const specFolders = (team?: string): readonly string[] => {
  const own = join(packageRoot, 'spec');
  if (team !== undefined) return [own, team];
  return existsSync('spec') && realpathSync('spec') !== realpathSync(own) ? [own, 'spec'] : [own];
};
