/** `catalog.json`: what the model was built from, so that a schema change is a small readable difference. */
import type { Emitter } from '../../model/types.js';

export const emitCatalog: Emitter = ({ catalog }) => [
  { path: 'catalog.json', content: `${JSON.stringify(catalog, null, 2)}\n` },
];
