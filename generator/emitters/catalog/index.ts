/**
 * Emits `catalog.json`, so that a schema change is a small readable diff. It contains whatever `Catalog` does: add a fact
 * in `generator/introspection/`.
 */
import type { Emitter } from '../../model/types.js';

/** Emits the catalog of the served tables, which `svc generate --from`, `svc doctor` and the reload of the schema read. */
export const emitCatalog: Emitter = ({ catalog }) => [
  { path: 'catalog.json', content: `${JSON.stringify(catalog, null, 2)}\n` },
];
