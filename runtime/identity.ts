/** Assembles how the callers of a process are identified: keys, tokens and access. */
import { createAccess, type Access } from './access/access.js';
import { limitAccess } from './access/limiter.js';
import { createKeys, type Keys } from './auth/keys.js';
import { updateLastAccess } from './auth/session-store.js';
import { createStaticTokens, type StaticTokens } from './auth/static-tokens.js';
import { createTokenUse } from './auth/token-use.js';
import { createTokens, type Tokens } from './auth/tokens.js';
import type { Background } from './concurrency/background.js';
import type { Config } from './config/config.js';
import type { Database } from './databases/contract.js';
import { createAccessSource } from './execute/access-source.js';

interface IdentityOptions {
  readonly config: Config;
  readonly database: Database;
}

export interface Identity {
  readonly keys: Keys;
  readonly tokens: Tokens;
  readonly access: Access;
  readonly staticTokens: StaticTokens;
}

export const createIdentity = ({ config, database }: IdentityOptions, background: Background): Identity => {
  const keys = createKeys(config.secret);
  const tokens = createTokens(keys);
  const staticTokens = createStaticTokens(keys, config.auth.staticTokens);
  const source = createAccessSource({
    executor: database,
    reserved: database.reserved,
    readClaims: tokens.readClaims,
    storedForms: staticTokens.storedForms,
    noteUse: createTokenUse((id) =>
      background.run('last use of a token', () => updateLastAccess(database, id)),
    ),
  });
  const access = createAccess(source, config.access.lease);
  const { rateLimit } = config;
  return { keys, tokens, staticTokens, access: rateLimit === null ? access : limitAccess(access, rateLimit) };
};
