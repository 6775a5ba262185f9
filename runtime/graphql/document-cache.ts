/** Caches compiled documents per view, by operation name and text, with a limit on their number and total length. */
import { LRUCache } from 'lru-cache';
import type { CompiledOperation } from './compile.js';
import { compileDocument, type DocumentOptions } from './document.js';
import type { GraphqlCall } from './protocol.js';
import type { View } from './schema.js';

/** Maximum number of documents per view. */
const maxDocuments = 500;
/** Characters; longer documents are not cached. */
const maxLength = 16_384;
/** Characters of all cached documents of a view. */
const maxTotalLength = 524_288;

type DocumentCache = LRUCache<string, CompiledOperation>;

const createCache = (): DocumentCache =>
  new LRUCache({
    max: maxDocuments,
    maxSize: maxTotalLength,
    sizeCalculation: (_, key) => key.length,
  });

export interface Documents {
  /** Returns the compiled operation, from the cache if possible. @throws GRAPHQL_VALIDATION */
  compile(call: GraphqlCall, view: View): CompiledOperation;
}

/** Returns the cache key. The length marks the end of the name, which may be empty or contain any character. */
const keyOf = ({ operationName, document }: GraphqlCall): string =>
  operationName === null ? ` ${document}` : `${operationName.length} ${operationName}${document}`;

/** Creates the cache. A document is cached from its second use on: texts with inline values are rarely repeated. */
export const createDocuments = (options: DocumentOptions): Documents => {
  const owner = {};
  const seenOnce = new LRUCache<string, true>({ max: maxDocuments });

  const remember = (key: string, compiled: CompiledOperation, documents: DocumentCache): void => {
    if (key.length > maxLength) return;
    if (seenOnce.delete(key)) documents.set(key, compiled);
    else seenOnce.set(key, true);
  };

  return {
    compile(call, view) {
      let documents = view.cache.get(owner) as DocumentCache | undefined;
      if (documents === undefined) view.cache.set(owner, (documents = createCache()));
      const key = keyOf(call);
      const cached = documents.get(key);
      if (cached !== undefined) return cached;
      const compiled = compileDocument(call, view, options);
      remember(key, compiled, documents);
      return compiled;
    },
  };
};
