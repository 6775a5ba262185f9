/** Has tests import the modules that `npm run build` has compiled, as users of the package do; Vitest transforms only tests. */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Matches what Node imports itself. */
export const compiledFolder = new RegExp(`^${root.replaceAll(/[^\w/]/g, '\\$&')}dist/`);

const folders = ['contract', 'generator', 'runtime', 'models'];

/** Exports of the package that tests import by its name, as paths of modules without extension. */
const packageExports = /^@svc-api\/svc\/(?:(runtime|generator)|(models\/.*))$/;

export const compiledModules = (): Plugin => ({
  name: 'compiled-modules',
  enforce: 'pre',
  resolveId(id, importer) {
    const path = pathOf(id, importer);
    if (path === null || !folders.includes(path.split('/')[0] ?? '')) return null;
    return { id: join(root, 'dist', `${path}.js`), external: true };
  },
});

/** Returns the path of a module in the repository, without its extension, or null where it is none of ours. */
const pathOf = (id: string, importer: string | undefined): string | null => {
  const [, entry, module] = packageExports.exec(id) ?? [];
  if (entry !== undefined) return `${entry}/index`;
  if (module !== undefined) return module;
  if (importer === undefined || !/^\.{1,2}\/.*\.js$/.test(id)) return null;
  return relative(root, resolve(dirname(importer), id)).slice(0, -'.js'.length);
};

/** Compiles modules that have changed since they were compiled. */
export const setup = (): void => {
  const sources = [...folders, 'generated/server'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const changed = Math.max(...sources.map((path) => statSync(path).mtimeMs));
  // what a build writes last, every time: the compiler leaves its own files alone if they stay as they are
  const last = join(root, 'dist/runtime/queue/temporal/workflow-bundle.js');
  const built = statSync(last, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (changed > built) execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
};
