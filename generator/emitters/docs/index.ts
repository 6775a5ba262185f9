/** Emits `docs/`: a Markdown page for every collection and queue model, and an index. */
import type { Emitter } from '../../model/types.js';
import { collectionPage } from './collection.js';
import { contentsPage } from './contents.js';
import { queueModelPage } from './queue-model.js';

/**
 * Emits the reference of one database. Pages about the server, which are the same for all, are in `docs/` of
 * the package.
 */
export const emitDocs: Emitter = (model) => {
  const files = new Map(model.collections.map(({ name, names }) => [name, names.file]));
  const fileOf = (collection: string): string | null => files.get(collection) ?? null;
  const pages = model.collections.map((collection) => ({
    path: `docs/${collection.names.file}.md`,
    content: collectionPage(collection, fileOf),
  }));
  const modelPages = model.queueModels.map((each) => ({
    path: `docs/models/${each.names.file}.md`,
    content: queueModelPage(each),
  }));
  return [...pages, ...modelPages, { path: 'docs/index.md', content: contentsPage(model) }];
};
