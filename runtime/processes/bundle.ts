/** Bundles generated TypeScript into one JavaScript file with esbuild. */
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, context, type BuildOptions, type Plugin } from 'esbuild';
import { modulePath } from '../config/package.js';

/** Bundles a module. @throws Error with every message of esbuild, each with file and line */
export const bundle = async (entry: string, outfile: string): Promise<void> => {
  await build(serverOptions(entry, outfile));
};

export interface Bundler {
  /** Bundles the module as it is now. @throws Error with every message of esbuild, each with file and line */
  bundle(): Promise<void>;
  /** Frees what is kept of the modules. */
  close(): Promise<void>;
}

/** Creates a bundler of one module, which parses again only the files that have changed since the last bundle. */
export const createBundler = async (entry: string, outfile: string): Promise<Bundler> => {
  const { rebuild, dispose } = await context(serverOptions(entry, outfile));
  return {
    async bundle() {
      await rebuild();
    },
    close: dispose,
  };
};

/**
 * The runtime is the one that is serving, by absolute path, so that the file works from any folder. Objection is an empty
 * base class: requests are answered from declarations, and only a team's own code uses the classes. The library would add
 * 0.1 s and 14 MB to every request process. Neither takes a plugin, so that esbuild does not wait for this process.
 */
const serverOptions = (entry: string, outfile: string): BuildOptions => ({
  ...settings,
  // the same text in every folder
  absWorkingDir: dirname(entry),
  entryPoints: [entry],
  outfile,
  alias: { [runtimeName]: runtimeUrl, objection: 'data:text/javascript,export class Model {}' },
  external: [runtimeUrl],
});

const runtimeName = '@svc-api/svc/runtime';
const runtimeUrl = pathToFileURL(modulePath('index')).href;

const settings = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  legalComments: 'none',
  logLevel: 'silent',
  // A project's own settings apply only to its own code.
  tsconfigRaw: {},
} as const satisfies BuildOptions;

interface FunctionModel {
  readonly id: string;
  readonly runner: { readonly kind: string; readonly module?: string };
}

/**
 * Bundles the modules of function models into one file that loads each when first needed; packages stay
 * external.
 */
export const bundleFunctions = async (models: readonly FunctionModel[], outfile: string): Promise<void> => {
  const entries = models.flatMap(({ id, runner: { module } }) =>
    module === undefined ? [] : [`  ${JSON.stringify(id)}: () => import(${JSON.stringify(module)}),`],
  );
  const contents = ['export const functions = {', ...entries, '};'].join('\n');
  await build({
    ...settings,
    stdin: { contents, resolveDir: process.cwd(), sourcefile: 'functions.ts' },
    outfile,
    alias: { [runtimeName]: runtimeUrl },
    external: [runtimeUrl],
    plugins: [ownModels],
    packages: 'external',
  });
};

/** Resolves the models that come with the package. */
const ownModels: Plugin = {
  name: 'own-models',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^@svc-api\/svc\/models\// }, ({ path }) => {
      const file = modulePath(`../models/${path.slice('@svc-api/svc/models/'.length)}`);
      return { path: pathToFileURL(file).href, external: true };
    });
  },
};
