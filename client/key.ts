/** Formats keys for paths and bodies. */

/** The value of a key, or the values of a composite one. */
export type AnyKey = KeyPart | readonly KeyPart[];

type KeyPart = string | number | boolean;

/**
 * Returns the parts of a key for a path, in which each is escaped separately.
 * @throws TypeError for a key that a URL cannot contain
 */
export const keyToPath = (key: AnyKey): string[] => {
  const parts = [key].flat().map(String);
  const invalid = parts.length === 1 && parts.find((part) => part === '' || part === '.' || part === '..');
  if (typeof invalid === 'string') throw new TypeError(`"${invalid}" cannot be a key in a URL`);
  return parts;
};

/** Formats a key for a body: the parts of a composite key are escaped separately and joined by commas. */
export const keyToBody = (key: AnyKey): KeyPart =>
  isComposite(key) ? key.map((part) => encodeURIComponent(part)).join(',') : key;

const isComposite = (key: AnyKey): key is readonly KeyPart[] => Array.isArray(key);
