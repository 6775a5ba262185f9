/** The public surface of `@svc-api/svc/generator`. */
export { generate, type GenerateOptions, type GenerateReport, type Step } from './main.js';
export { OutputError, type OutputReport } from './output.js';
export { introspect } from './introspection/index.js';
export { loadSpec } from './spec/load.js';
export { SpecError } from './spec/faults.js';
export { buildModel } from './model/build.js';
export { ModelError } from './model/findings.js';
export type { BreakingChange } from './model/breaking.js';
export type { Catalog, CatalogReader, IntrospectOptions } from './introspection/catalog.js';
export type * from './model/types.js';
export type { Spec, SpecFault } from './spec/types.js';
