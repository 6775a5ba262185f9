/** The context that is shared while a document is built. */
import { nameStems } from '../../model/operation-stems.js';
import type { Collection, Model } from '../../model/types.js';
import { errorStatuses, type ErrorStatus } from './errors.js';

export interface Context {
  readonly model: Model;
  collection(name: string): Collection | undefined;
  /**
   * Returns the stem of a collection, such as `Album`: the prefix of its components and the suffix of its
   * operations.
   */
  stemOf(collection: Collection): string;
  /** The error table by status. */
  readonly errors: ReadonlyMap<number, ErrorStatus>;
  /** Returns what the document says of a collection depends on. */
  identityOf(name: string): string;
}

/** Names the schemas and operation ids of all collections at once, so that no two are the same. */
export const createContext = (model: Model): Context => {
  const collections = new Map(model.collections.map((collection) => [collection.name, collection]));
  const stems = nameStems(model);
  return {
    model,
    collection: (name) => collections.get(name),
    stemOf: (collection) => stems.get(collection.name) ?? collection.names.type,
    errors: errorStatuses(model.errors),
    identityOf: (name) => `${collections.get(name)?.hash} ${stems.get(name)}`,
  };
};

/** Returns a context that tells which collections are looked at. */
export const watchContext = (context: Context, see: (name: string) => void): Context => ({
  ...context,
  collection(name) {
    see(name);
    return context.collection(name);
  },
  stemOf(collection) {
    see(collection.name);
    return context.stemOf(collection);
  },
});
