/** The modules of function models, out of a build. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export type Functions = Readonly<Record<string, () => Promise<unknown>>>;

/** Nothing of a model is loaded before its first run. */
export const loadFunctions = async (directory: string): Promise<Functions> => {
  const file = pathToFileURL(join(directory, 'functions.mjs')).href;
  const { functions } = (await import(file)) as { readonly functions: Functions };
  return functions;
};
