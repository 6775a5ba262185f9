/** The TypeScript of a build in a folder of its own, where only what has changed is written. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OutputFile } from '../../generator/model/types.js';
import { createBundler, type Bundler } from './bundle.js';

export interface GeneratedSource {
  /** Bundles the module `server/index.ts` of files into a file of the same file system. @throws Error with every message of esbuild */
  bundle(files: readonly OutputFile[], outfile: string): Promise<void>;
  /** Removes the folder. */
  close(): void;
}

/** Creates the folder among the builds, so that `pruneBuilds` removes what a killed process leaves behind. */
export const createGeneratedSource = (builds: string): GeneratedSource => {
  const folder = mkdtempSync(join(builds, 'source.'));
  const bundled = join(folder, 'server.mjs');
  let bundler: Bundler | null = null;
  const written = new Map<string, string>();
  const write = (files: readonly OutputFile[]): void => {
    const stale = new Set(written.keys());
    for (const { path, content } of files) {
      stale.delete(path);
      if (written.get(path) === content) continue;
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
      written.set(path, content);
    }
    for (const path of stale) {
      rmSync(join(folder, path));
      written.delete(path);
    }
  };
  return {
    async bundle(files, outfile) {
      utimesSync(folder, new Date(), new Date());
      write(files.filter(({ path }) => path.startsWith('server/')));
      bundler ??= await createBundler(join(folder, 'server', 'index.ts'), bundled);
      await bundler.bundle();
      renameSync(bundled, outfile);
    },
    close() {
      void bundler?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
