/** `docs/`: a Markdown page for every collection, and one that lists them with the error table. */
import type { Emitter } from '../../model/types.js';
import { collectionPage } from './collection.js';
import { contentsPage } from './contents.js';

export const emitDocs: Emitter = (model) => {
  const files = new Map(model.collections.map(({ name, names }) => [name, names.file]));
  const fileOf = (collection: string): string | null => files.get(collection) ?? null;
  const pages = model.collections.map((collection) => ({
    path: `docs/${collection.names.file}.md`,
    content: collectionPage(collection, fileOf),
  }));
  return [...pages, { path: 'docs/index.md', content: contentsPage(model) }];
};
