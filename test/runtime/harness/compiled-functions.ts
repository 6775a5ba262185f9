/** Compiles the functions of models, which child processes load by Node alone. */
import { join, relative, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { packageRoot } from '../../../runtime/config/package.js';
import { sharedRoot, sharedText } from '../../shared.js';

/** Leaves what the package contains to its compiled modules, which the child process has loaded. */
const compiledPackage: Plugin = {
  name: 'compiled-package',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\..*\/(contract|models)\// }, ({ path, resolveDir }) => ({
      path: join(packageRoot, 'dist', relative(packageRoot, resolve(resolveDir, path))),
      external: true,
    })),
};

const compile = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [join(packageRoot, 'test/runtime/harness/functions.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    plugins: [compiledPackage],
  });
  return outputFiles[0]?.text ?? '';
};

/** Returns the path of `functions.ts` as a module of JavaScript, which is compiled once per run. */
export const compiledFunctions = async (): Promise<string> => {
  await sharedText('functions.mjs', compile);
  return join(sharedRoot(), 'functions.mjs');
};
