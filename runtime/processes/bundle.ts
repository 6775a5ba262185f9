/** Generated TypeScript → one JavaScript file, with esbuild. */
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { modulePath } from '../package.js';

/** @throws Error with every message of esbuild, each with file and line */
export const bundle = async (entry: string, outfile: string): Promise<void> => {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    legalComments: 'none',
    logLevel: 'silent',
    // A project's own settings are for its own code.
    tsconfigRaw: {},
    plugins: [ownRuntime, withoutObjection],
  });
};

/** The runtime is the one that serves: by absolute address, so that the file works wherever it lies. */
const ownRuntime: Plugin = {
  name: 'own-runtime',
  setup: ({ onResolve }) => {
    const path = pathToFileURL(modulePath('index')).href;
    onResolve({ filter: /^@svc-api\/svc\/runtime$/ }, () => ({ path, external: true }));
  },
};

/**
 * Requests are answered from declarations; the Objection classes beside them are for code of one's own. Loading the
 * library would add a tenth of a second and 14 MB to every request process, so an empty base class takes its place.
 */
const withoutObjection: Plugin = {
  name: 'without-objection',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^objection$/ }, ({ path }) => ({ path, namespace: 'without-objection' }));
    onLoad({ filter: /.*/, namespace: 'without-objection' }, () => ({ contents: 'export class Model {}' }));
  },
};
