/** The packed client, as checkers of packages see it. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageRoot } from '../../runtime/config/package.js';
import { compile } from '../compiler.js';
import { createProject, strictest, type Project } from './package.js';

const source = join(packageRoot, 'generated', 'client');

let project: Project;
beforeAll(async () => {
  project = await createProject();
});
afterAll(() => project.remove());

it('has a manifest without findings of publint', async () => {
  const pkgDir = join(project.folder, 'node_modules', 'content-api-client');
  const { messages, pkg } = await publint({ pkgDir, level: 'suggestion', strict: true, pack: false });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

it('has correct types for every module resolution', async () => {
  const data = await readFile(project.packed);
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(data)));
  if (result.types === false) throw new Error('the package has no types');
  const old = new Set(['node10', 'node16-cjs']);
  const problems = result.problems.filter(
    (problem) => !('resolutionKind' in problem) || !old.has(problem.resolutionKind),
  );
  expect(problems).toEqual([]);
});

it('contains JavaScript and declarations without dependencies', async () => {
  const { folder } = project;
  const place = join(folder, 'node_modules', 'content-api-client');
  const manifest = JSON.parse(await readFile(join(place, 'package.json'), 'utf8')) as Record<string, unknown>;
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).not.toHaveProperty('peerDependencies');
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const texts = await Promise.all(
    files.filter((path) => /\.[jt]s$/.test(path)).map((path) => readFile(path, 'utf8')),
  );
  const imported = texts.flatMap((text) =>
    Array.from(text.matchAll(/\bfrom '([^']+)'/g), ([, name]) => name),
  );
  expect(imported.filter((name) => !name?.startsWith('.'))).toEqual([]);
  expect(files.every((path) => /\.js$|\.d\.ts$|package\.json$|README\.md$/.test(path))).toBe(true);
});

it('compiles under the strictest settings', async () => {
  const { faults } = await compile({
    folder: source,
    extends: join(source, 'tsconfig.json'),
    files: [join('src', 'index.ts')],
    options: {
      rootDir: join(source, 'src'),
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
    },
  });
  expect(faults.filter(({ file }) => !file.includes('/src/rest/'))).toEqual([]);
});

it('has a README whose examples compile', async () => {
  const { folder } = project;
  const readme = await readFile(join(folder, 'node_modules', 'content-api-client', 'README.md'), 'utf8');
  const blocks = Array.from(readme.matchAll(/```ts\n(.*?)```/gs), ([, block]) => block);
  expect(blocks.join('\n')).toMatch(/items\('Album'\).*subscribe\('demo\/image'/s);
  await writeFile(join(folder, 'readme.ts'), blocks.join('\n'));
  const options = { ...strictest, noUnusedLocals: false, noEmit: true };
  expect((await compile({ folder, files: ['readme.ts'], options })).faults).toEqual([]);
});
