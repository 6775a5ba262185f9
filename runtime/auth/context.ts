/** What the flows of authentication share. */
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

export const createAuthContext = ({ database, tokens, keys, config }: AuthContextOptions): AuthContext => ({
  database,
  tokens,
  keys,
  attempts: createAttempts(database),
  settings: config.auth,
});
