/** Loads the modules of function models from a build. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export type Functions = Readonly<Record<string, () => Promise<unknown>>>;

/** Returns the functions of a build; the module of a model is loaded on its first run. */
export const loadFunctions = async (directory: string): Promise<Functions> => {
  const file = pathToFileURL(join(directory, 'functions.mjs')).href;
  const { functions } = (await import(file)) as { readonly functions: Functions };
  return functions;
};
