/** Emits `client/`, the client as a package of its own. The client step adds the files of its tools. */
import type { Emitter } from '../../model/types.js';
import { emitCollection } from './collection.js';
import { emitCore } from './core.js';
import { emitErrorCodes } from './errors.js';
import { emitClientOperations } from './operations.js';
import { emitPackage, packageName } from './package.js';
import { emitQueueModels } from './queue-models.js';
import { emitReadme } from './readme.js';
import { servedCollections } from './relation.js';
import { emitSchema } from './schema.js';

/** Emits the package without the REST functions and the types of GraphQL, which the client step adds. */
export const emitClient: Emitter = (model) => {
  const served = servedCollections(model.collections);
  const collections = [...served.values()];
  return [
    ...emitPackage(model.api),
    emitReadme({ ...model, name: packageName(model.api.title), collections }),
    ...emitCore(),
    emitSchema(collections),
    ...collections.map((collection) => emitCollection(collection, served)),
    emitClientOperations(model.operations),
    emitErrorCodes(model.errors),
    emitQueueModels(model.queueModels),
  ];
};
