/** The TypeScript of a build in a folder of its own, where only what has changed is written. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { OutputFile } from '../../generator/model/types.js';
import { bundle } from './bundle.js';

export interface GeneratedSource {
  /** Bundles the module `server/index.ts` of files. @throws Error with every message of esbuild */
  bundle(files: readonly OutputFile[], outfile: string): Promise<void>;
  /** Removes the folder. */
  close(): void;
}

export const createGeneratedSource = (): GeneratedSource => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-source-'));
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
      write(files.filter(({ path }) => path.startsWith('server/')));
      await bundle(join(folder, 'server', 'index.ts'), outfile);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
};
