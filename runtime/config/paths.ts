/** Where a project keeps things, below the working directory. */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './package.js';

/** Committed output of `svc generate`. */
export const generatedFolder = 'generated';

/** Everything that may be deleted at any time, the embedded database excepted. */
export const buildFolder = join('.svc', 'build');

/**
 * Spec folders in the order they are loaded: the package's own, then the team's.
 * Without `team`, `spec/` of the working directory counts where it is there.
 */
export const specFolders = (team?: string): readonly string[] => {
  const own = join(packageRoot, 'spec');
  if (team !== undefined) return [own, team];
  return existsSync('spec') && realpathSync('spec') !== realpathSync(own) ? [own, 'spec'] : [own];
};
