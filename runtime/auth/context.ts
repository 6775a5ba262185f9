/** Dependencies that the authentication flows share. */
import type { Config } from '../config/config.js';
import type { Database } from '../databases/contract.js';
import { createAttempts, type Attempts } from './attempts.js';
import type { Keys } from './keys.js';
import type { Tokens } from './tokens.js';

export interface AuthContext {
  readonly database: Database;
  readonly tokens: Tokens;
  readonly keys: Keys;
  readonly attempts: Attempts;
  readonly settings: Config['auth'];
}

interface AuthContextOptions extends Pick<AuthContext, 'database' | 'tokens' | 'keys'> {
  readonly config: Pick<Config, 'auth'>;
}

/**
 * Creates the dependencies with counters of attempts of their own; one context serves all requests of a
 * process.
 */
export const createAuthContext = ({ database, tokens, keys, config }: AuthContextOptions): AuthContext => ({
  database,
  tokens,
  keys,
  attempts: createAttempts(database),
  settings: config.auth,
});
