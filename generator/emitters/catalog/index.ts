/**
 * Emits `catalog.json`, the catalog that the model was built from, so that a schema change is a small
 * readable diff.
 */
import type { Emitter } from '../../model/types.js';

/** Emits the catalog as introspected, which `svc generate --from` reads again without a database. */
export const emitCatalog: Emitter = ({ catalog }) => [
  { path: 'catalog.json', content: `${JSON.stringify(catalog, null, 2)}\n` },
];
