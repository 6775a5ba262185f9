/**
 * Emits `catalog.json`, the catalog that the model was built from, so that a schema change is a small
 * readable diff.
 */
import type { Emitter } from '../../model/types.js';

export const emitCatalog: Emitter = ({ catalog }) => [
  { path: 'catalog.json', content: `${JSON.stringify(catalog, null, 2)}\n` },
];
