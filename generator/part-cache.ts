/**
 * Caches what emitters make of single collections, so that the next run makes only what has changed. The collections that a
 * part depends on are recorded while it is made, not declared, so no dependency can be forgotten.
 */

/** Belongs to one spec and one kind of database: what the parts of all collections are made from. */
export interface PartCache {
  /** Begins a run, and forgets what the last one did not use. */
  begin(): void;
  /**
   * Returns a part that was made before from the same collections, or makes it.
   * @param key the emitter and the collection
   * @param identityOf returns what the emitter may see of a collection, as text
   * @param make calls `see` with the name of each collection that it looks at, served or not
   */
  getOrMake<Part>(
    key: string,
    identityOf: (collection: string) => string,
    make: (see: (collection: string) => void) => Part,
  ): Part;
}

interface Kept {
  /** Identities of the collections that the part was made from, by name. */
  readonly seen: ReadonlyMap<string, string>;
  readonly part: unknown;
}

/** Creates an empty cache, of which nothing is reused before the second generation. */
export const createPartCache = (): PartCache => {
  let former: ReadonlyMap<string, Kept> = new Map();
  let current = new Map<string, Kept>();
  return {
    begin() {
      former = current;
      current = new Map();
    },
    getOrMake<Part>(
      key: string,
      identityOf: (collection: string) => string,
      make: (see: (collection: string) => void) => Part,
    ): Part {
      const kept = former.get(key);
      if (kept !== undefined && isSame(kept, identityOf)) {
        current.set(key, kept);
        return kept.part as Part;
      }
      const seen = new Map<string, string>();
      const part = make((name) => seen.set(name, identityOf(name)));
      current.set(key, { seen, part });
      return part;
    },
  };
};

const isSame = ({ seen }: Kept, identityOf: (collection: string) => string): boolean => {
  for (const [name, identity] of seen) if (identityOf(name) !== identity) return false;
  return true;
};
