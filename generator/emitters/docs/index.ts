/** Emits `docs/`: a Markdown page for every collection and queue model, and an index. */
import { createPartCache } from '../../part-cache.js';
import type { Emitter } from '../../model/types.js';
import { collectionPage } from './collection.js';
import { contentsPage } from './contents.js';
import { queueModelPage } from './queue-model.js';

/**
 * Emits the reference of one database. Pages about the server, which are the same for all, are in `docs/` of
 * the package.
 */
export const emitDocs: Emitter = (model, cache = createPartCache()) => {
  const collections = new Map(model.collections.map((collection) => [collection.name, collection]));
  const identityOf = (name: string): string => `${collections.get(name)?.hash}`;
  const pages = model.collections.map((collection) =>
    cache.getOrMake(`docs ${collection.name}`, identityOf, (see) => {
      see(collection.name);
      const fileOf = (name: string): string | null => {
        see(name);
        return collections.get(name)?.names.file ?? null;
      };
      return { path: `docs/${collection.names.file}.md`, content: collectionPage(collection, fileOf) };
    }),
  );
  const modelPages = model.queueModels.map((each) => ({
    path: `docs/models/${each.names.file}.md`,
    content: queueModelPage(each),
  }));
  return [...pages, ...modelPages, { path: 'docs/index.md', content: contentsPage(model) }];
};
