/** Keeps the policy index of the current access rows. */
import type { AccessSource } from './access.js';
import { createPolicyIndex, type PolicyIndex } from './policies.js';

export interface PolicyCache {
  /** Returns the index; loads it where there is none or it has expired. */
  load(): Promise<PolicyIndex>;
  /** Returns the Unix time in milliseconds at which the index expires. */
  expires(): number;
  /** Drops the index if its version is another; returns whether it did. */
  dropUnless(version: string): Promise<boolean>;
}

/** Milliseconds after which rows are read again, so that changes made without a new version take effect. */
const maxAge = 4_000;

/**
 * Creates an empty cache, which reads the rows at the first `load`.
 * @param onChange called when rows have changed, before their index is used
 */
export const createPolicyCache = (source: AccessSource, onChange: () => void): PolicyCache => {
  let index: Promise<PolicyIndex> | null = null;
  let expires = 0;
  let fingerprint = '';

  const read = async (previous: Promise<PolicyIndex> | null): Promise<PolicyIndex> => {
    const rows = await source.loadRows();
    const text = JSON.stringify(rows);
    if (previous !== null && text === fingerprint) return previous;
    fingerprint = text;
    onChange();
    return createPolicyIndex(rows);
  };

  return {
    load() {
      if (index !== null && Date.now() < expires) return index;
      expires = Date.now() + maxAge;
      const loading = read(index);
      loading.catch(() => {
        if (index === loading) index = null;
      });
      index = loading;
      return loading;
    },
    expires: () => expires,
    async dropUnless(version) {
      const loaded = await index?.catch(() => null);
      if (loaded?.version === version) return false;
      index = null;
      return true;
    },
  };
};
