/** Where the bench finds the project and keeps what it made. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/** May be deleted at any time. */
export const cacheFolder = join(projectRoot, '.cache', 'bench');

/** The command line interface, as built by `npm run build`. */
export const cliPath = join(projectRoot, 'dist', 'runtime', 'cli.js');
