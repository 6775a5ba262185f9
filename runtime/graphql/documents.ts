/** Compiled documents, by view, operation and text: a bounded number, and a bounded length of all texts. */
import { LRUCache } from 'lru-cache';
import type { CompiledOperation } from './compile.js';
import { compileDocument, type DocumentOptions } from './document.js';
import type { GraphqlCall } from './protocol.js';
import type { View } from './schema.js';

/** Of one view. */
const maxDocuments = 500;
/** Longer ones are compiled each time. */
const longestText = 16_384;
const longestTexts = 524_288;

type Compiled = Map<string, CompiledOperation>;

export interface Documents {
  /** @throws GRAPHQL_VALIDATION */
  compile(call: GraphqlCall, view: View): CompiledOperation;
}

/** The length tells where the name ends: it may hold any sign, and it may be empty. */
const keyOf = ({ operationName, document }: GraphqlCall): string =>
  operationName === null ? ` ${document}` : `${operationName.length} ${operationName}${document}`;

/** Kept from the second time on: texts with values in them hardly ever return. */
export const createDocuments = (options: DocumentOptions): Documents => {
  const owner = {};
  const seenOnce = new LRUCache<string, true>({ max: maxDocuments });

  const remember = (key: string, compiled: CompiledOperation, documents: Compiled): void => {
    if (key.length > longestText) return;
    if (!seenOnce.delete(key)) {
      seenOnce.set(key, true);
      return;
    }
    documents.set(key, compiled);
    let length = [...documents.keys()].reduce((sum, each) => sum + each.length, 0);
    for (const oldest of documents.keys()) {
      if (documents.size <= maxDocuments && length <= longestTexts) break;
      documents.delete(oldest);
      length -= oldest.length;
    }
  };

  return {
    compile(call, view) {
      let documents = view.cache.get(owner) as Compiled | undefined;
      if (documents === undefined) view.cache.set(owner, (documents = new Map()));
      const key = keyOf(call);
      const present = documents.get(key);
      if (present !== undefined) return present;
      const compiled = compileDocument(call, view, options);
      remember(key, compiled, documents);
      return compiled;
    },
  };
};
