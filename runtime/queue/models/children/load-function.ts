import type { RunModel } from '../../../../contract/queue-model.js';

/** Checks the type of a loaded module. @throws Error when it does not export a function `run` */
export const toFunction = (model: string, loaded: unknown): { readonly run: RunModel<unknown, unknown> } => {
  if (typeof loaded === 'object' && loaded !== null && 'run' in loaded && typeof loaded.run === 'function') {
    return loaded as { readonly run: RunModel<unknown, unknown> };
  }
  throw new Error(`the module of the model ${model} does not export a function "run"`);
};
