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
  };
};
