/** Bundles of modules that change one by one. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import type { OutputFile } from '../../generator/model/types.js';
import { createGeneratedSource, type GeneratedSource } from '../../runtime/processes/generated-source.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-source-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const moduleNames = ['a', 'b', 'c'];

const moduleText = (value: number): string =>
  [
    "import * as svc from '@svc-api/svc/runtime';",
    "import { Model } from 'objection';",
    `export const value: number = ${value};`,
    'export class Row extends Model { read() { return svc; } }',
  ].join('\n');

const filesArbitrary: fc.Arbitrary<readonly OutputFile[]> = fc
  .dictionary(fc.constantFrom(...moduleNames), fc.integer({ min: 0, max: 2 }), { minKeys: 1 })
  .map((values) => {
    const names = Object.keys(values);
    const index = names.map((name) => `export * as ${name} from './${name}.js';\n`).join('');
    return withIndex(index).concat(
      names.map((name) => ({ path: `server/${name}.ts`, content: moduleText(values[name] ?? 0) })),
    );
  });

const withIndex = (content: string): readonly OutputFile[] => [{ path: 'server/index.ts', content }];

const bundleText = async (source: GeneratedSource, files: readonly OutputFile[]): Promise<string> => {
  const outfile = join(folder, 'server.mjs');
  await source.bundle(files, outfile);
  return readFileSync(outfile, 'utf8');
};

it('a bundle that reuses unchanged modules is the same text as one made of all', async () => {
  const kept = createGeneratedSource(folder);
  await fc.assert(
    fc.asyncProperty(fc.array(filesArbitrary, { minLength: 2, maxLength: 3 }), async (rounds) => {
      for (const files of rounds) {
        const fresh = createGeneratedSource(folder);
        expect(await bundleText(kept, files)).toBe(await bundleText(fresh, files));
        fresh.close();
      }
    }),
    { numRuns: 10 },
  );
  kept.close();
});

it('a module that cannot be bundled is named, and the next bundle is made', async () => {
  const source = createGeneratedSource(folder);
  await expect(bundleText(source, withIndex('export const one = ;'))).rejects.toThrow('index.ts:1:19');
  expect(await bundleText(source, withIndex('export const one = 1;'))).toContain('one = 1');
  source.close();
});
