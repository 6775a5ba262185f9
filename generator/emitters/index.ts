/** All emitters, in the order in which they run. To add one, create a folder and add it to the list. */
import { createPartCache, type PartCache } from '../part-cache.js';
import type { Emitter, Model, OutputFile } from '../model/types.js';
import { emitCatalog } from './catalog/index.js';
import { emitDocs } from './docs/index.js';
import { emitErrors } from './errors/index.js';
import { emitGraphql } from './graphql/index.js';
import { emitModels } from './models/index.js';
import { emitOpenApi } from './openapi/index.js';
import { emitOperations } from './operations/index.js';
import { emitRoutes } from './routes/index.js';
import { emitSystemRows } from './system-rows/index.js';

/** Emitters of `server/`, the modules that a server loads. */
const moduleEmitters: readonly Emitter[] = [
  emitModels,
  emitOperations,
  emitRoutes,
  emitErrors,
  emitSystemRows,
];

/** Emitters of everything else. */
const documentEmitters: readonly Emitter[] = [emitCatalog, emitOpenApi, emitGraphql, emitDocs];

export interface Emission {
  /** The modules that a server loads. */
  readonly modules: readonly OutputFile[];
  /** Returns the other files, which take most of the time: modules can be bundled meanwhile. To be called once. */
  emitDocuments(): readonly OutputFile[];
}

/**
 * Returns the modules of a model, and a function that returns its documents; writes nothing.
 * @param cache of former runs with the same spec; what has not changed is taken from it
 */
export const beginEmission = (model: Model, cache: PartCache): Emission => {
  const run = (emitters: readonly Emitter[]): readonly OutputFile[] =>
    emitters.flatMap((emitter) => emitter(model, cache));
  cache.begin();
  return { modules: run(moduleEmitters), emitDocuments: () => run(documentEmitters) };
};

/** Returns every output file of a model, modules and documents. */
export const emit = (model: Model, cache: PartCache = createPartCache()): OutputFile[] => {
  const { modules, emitDocuments } = beginEmission(model, cache);
  return [...modules, ...emitDocuments()];
};
