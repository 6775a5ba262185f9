/** All emitters, in the order in which they run. To add one, create a folder and add it to the list. */
import { createMemory, type Memory } from '../memory.js';
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

const emitters: readonly Emitter[] = [
  emitCatalog,
  emitOpenApi,
  emitGraphql,
  emitModels,
  emitOperations,
  emitRoutes,
  emitErrors,
  emitSystemRows,
  emitDocs,
];

/**
 * Returns every output file of a model, without writing any.
 * @param memory of former runs with the same spec; what has not changed is taken from it
 */
export const emit = (model: Model, memory: Memory = createMemory()): OutputFile[] => {
  memory.begin();
  return emitters.flatMap((emitter) => emitter(model, memory));
};
