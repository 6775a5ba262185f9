/** Marks requests whose statements failed because the schema has changed since they were compiled. */
import type { ApiRequest } from './api-request.js';

/** Thrown where a request had no effect and can be run again on a build of the schema as it is now. */
export class OutdatedSchema extends Error {}

/** Returns whether a request shall be run again after an error. */
export type IsOutdated = (error: unknown, request: ApiRequest) => boolean;
