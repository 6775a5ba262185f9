/** The test files that do more with `LONG=1`; the others would repeat what `.ci/run` has done on every database. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** What such a file uses: the variable, or a helper that depends on it. */
const longer =
  /process\.env\.LONG|\b(?:sampleDialects|pairDialects|sampleSettings|sampleAllSettings|nodeVersions)\b/;

/** Returns the paths of those files in the repository. */
export const findLongFiles = (): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && longer.test(readFileSync(join(folder, path), 'utf8')))
    .map((path) => `test/${path}`);
