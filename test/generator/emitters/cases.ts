/** The golden folders in `test/cases`: one database each, with all files the generator makes of it. */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GenerateOptions } from '../../../generator/main.js';

const root = fileURLToPath(new URL('../../cases', import.meta.url));

/** Spec that every case extends. */
const baseSpec = join(root, 'base-spec');

export interface Case {
  readonly name: string;
  readonly expected: string;
  readonly sources: Pick<GenerateOptions, 'from' | 'specFolders'>;
}

export const cases: readonly Case[] = readdirSync(root)
  .sort()
  .filter((name) => existsSync(join(root, name, 'catalog.json')))
  .map((name) => {
    const spec = join(root, name, 'spec');
    return {
      name,
      expected: join(root, name, 'expected'),
      sources: {
        from: join(root, name, 'catalog.json'),
        specFolders: existsSync(spec) ? [baseSpec, spec] : [baseSpec],
      },
    };
  });

/** Every file below a folder: path to content. */
export const readTree = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(folder, path)).isFile())
      .sort()
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );
