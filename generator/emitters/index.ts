/** The emitters, in the order they are named to people. A new one is a folder and a line here. */
import type { Emitter, Model, OutputFile } from '../model/types.js';
import { emitCatalog } from './catalog/index.js';
import { emitDocs } from './docs/index.js';
import { emitErrors } from './errors/index.js';
import { emitGraphql } from './graphql/index.js';
import { emitModels } from './models/index.js';
import { emitOpenApi } from './openapi/index.js';
import { emitOperations } from './operations/index.js';
import { emitSystemRows } from './system-rows/index.js';

const emitters: readonly Emitter[] = [
  emitCatalog,
  emitOpenApi,
  emitGraphql,
  emitModels,
  emitOperations,
  emitErrors,
  emitSystemRows,
  emitDocs,
];

/** Every file of the output; nothing is written here. */
export const emit = (model: Model): OutputFile[] => emitters.flatMap((emitter) => emitter(model));
