/** Assembles how the callers of a process are identified: keys, tokens and access. */
import { createAccess, type Access, type AccessSource } from './access/access.js';
import { limitAccess, type SharedCounts } from './access/limiter.js';
import { createKeys, type Keys } from './auth/keys.js';
import { updateLastAccess } from './auth/session-store.js';
import { createStaticTokens, type StaticTokens } from './auth/static-tokens.js';
import { createTokenUse } from './auth/token-use.js';
import { createTokens, type Tokens } from './auth/tokens.js';
import type { Background } from './concurrency/background.js';
import type { Config } from './config/config.js';
import type { Database } from './databases/contract.js';
import { createAccessSource } from './execute/access-source.js';
import type { Observe } from './observe.js';

interface IdentityOptions {
  readonly config: Config;
  readonly database: Database;
  readonly observe: Observe;
  /** Shares the counts of the rate limiter with the other processes of the host. */
  readonly sharedCounts?: SharedCounts;
}

export interface Identity {
  readonly keys: Keys;
  readonly tokens: Tokens;
  readonly access: Access;
  readonly staticTokens: StaticTokens;
}

/**
 * Creates what identifies callers for one service. `sharedCounts` are limits that several processes count
 * together.
 */
export const createIdentity = (
  { config, database, observe, sharedCounts: shared }: IdentityOptions,
  background: Background,
): Identity => {
  const keys = createKeys(config.secret);
  const tokens = createTokens(keys);
  const staticTokens = createStaticTokens(keys, config.auth.staticTokens);
  const source = observeLoads(
    observe,
    createAccessSource({
      executor: database,
      reserved: database.reserved,
      readClaims: tokens.readClaims,
      storedForms: staticTokens.storedForms,
      noteUse: createTokenUse((id) =>
        background.run('last use of a token', () => updateLastAccess(database, id)),
      ),
    }),
  );
  const access = createAccess(source, config.access.lease);
  const rateLimit = config.rateLimit && { ...config.rateLimit, ...(shared && { shared }) };
  const onLimit = (): void => observe({ kind: 'limitReached', limit: 'rate' });
  return {
    keys,
    tokens,
    staticTokens,
    access: rateLimit === null ? access : limitAccess(access, rateLimit, onLimit),
  };
};

/** Reports each read of the access rules. */
const observeLoads = (observe: Observe, source: AccessSource): AccessSource => ({
  ...source,
  async loadRows() {
    const began = performance.now();
    const rows = await source.loadRows();
    observe({ kind: 'accessReloaded', version: rows.version, ms: performance.now() - began });
    return rows;
  },
});
