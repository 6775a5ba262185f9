/** Lets processes that a test forks run TypeScript. */
import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { packageRoot } from '../../../runtime/config/package.js';
import { sharedRoot } from '../../shared.js';

/**
 * Modules of the processes that tests start most. They are bundled once per run, because `tsx` takes three times as long to
 * start as they do.
 */
const modules = {
  hash: 'runtime/auth/passwords/hash-worker.ts',
  model: 'runtime/queue/models/children/main.ts',
  functions: 'test/runtime/harness/functions.ts',
} as const;

/** Runs these modules from their bundles, and all others with `tsx`. */
const preload = `
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { bundles } from './bundles.mjs';
if (pathToFileURL(process.argv[1] ?? '').href in bundles) register('./hooks.mjs', import.meta.url);
else await import('tsx');
`;

const hooks = `
import { bundles } from './bundles.mjs';
export const resolve = async (specifier, context, next) => {
  const found = await next(specifier, context);
  const url = bundles[found.url];
  return url === undefined ? found : { ...found, url, format: 'module' };
};
`;

/** Makes processes forked by this one run TypeScript: they inherit its options. */
export const runSource = (): void => {
  const folder = join(sharedRoot(), 'processes');
  const file = join(folder, 'preload.mjs');
  if (process.execArgv.includes(file)) return;
  if (!existsSync(folder)) bundleModules(folder);
  process.execArgv.push('--import', file);
};

const bundleModules = (folder: string): void => {
  const draft = `${folder}.${randomBytes(6).toString('hex')}`;
  const sources = Object.entries(modules).map(([name, path]) => [name, join(packageRoot, path)] as const);
  buildSync({
    entryPoints: Object.fromEntries(sources),
    outdir: draft,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  const urls = sources.map(([name, path]) => [
    pathToFileURL(path).href,
    pathToFileURL(join(folder, `${name}.mjs`)).href,
  ]);
  writeFileSync(
    join(draft, 'bundles.mjs'),
    `export const bundles = ${JSON.stringify(Object.fromEntries(urls))};`,
  );
  writeFileSync(join(draft, 'preload.mjs'), preload);
  writeFileSync(join(draft, 'hooks.mjs'), hooks);
  // for the packages that they import
  symlinkSync(join(packageRoot, 'node_modules'), join(draft, 'node_modules'));
  try {
    renameSync(draft, folder);
  } catch (error) {
    // another process was faster; its content is the same
    if (!existsSync(folder)) throw error;
  }
};
