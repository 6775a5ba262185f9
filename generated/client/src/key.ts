/** Keys in paths and in bodies. */

/** The value of a key, or the values of a composite one. */
export type AnyKey = KeyPart | readonly KeyPart[];

type KeyPart = string | number | boolean;

/**
 * Parts of a key for a path, where each is escaped by itself.
 * @throws TypeError for parts that a URL cannot hold
 */
export const keyToPath = (key: AnyKey): string[] => {
  const parts = [key].flat().map(String);
  const lost = parts.length === 1 && parts.find((part) => part === '' || part === '.' || part === '..');
  if (typeof lost === 'string') throw new TypeError(`"${lost}" cannot stand as a key in a URL`);
  return parts;
};

/** Parts of a composite key are joined by commas, each escaped by itself as in a path. */
export const keyToBody = (key: AnyKey): KeyPart =>
  isComposite(key) ? key.map((part) => encodeURIComponent(part)).join(',') : key;

const isComposite = (key: AnyKey): key is readonly KeyPart[] => Array.isArray(key);
