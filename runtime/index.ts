/** Public exports for generated code and for a team's own code. */
export * from '../contract/collection.js';
export * from '../contract/fields.js';
export { relationMappings, type RelationMapping } from '../contract/relation-mappings.js';
export type { OperationContext } from './operations/context.js';
export {
  anyModelRoutes,
  itemRoutes,
  modelRoutes,
  route,
  unknownCollectionRoutes,
  type Route,
} from '../contract/routes.js';
export { systemRoutes } from '../generated/server/system-routes.js';
export { bindModels, type BoundModels } from './items/models.js';
export {
  ModelError,
  type QueueModelDeclaration,
  type RunContext,
  type RunModel,
} from '../contract/queue-model.js';
