/** What the flows of authentication share. */
import type { Config } from '../config/config.js';
import type { Database } from '../databases/contract.js';
import { createAttempts, type Attempts } from './attempts.js';
import type { Tokens } from './tokens.js';

export interface AuthContext {
  readonly database: Database;
  readonly tokens: Tokens;
  readonly attempts: Attempts;
  readonly settings: Config['auth'];
}

interface AuthContextOptions extends Pick<AuthContext, 'database' | 'tokens'> {
  readonly config: Pick<Config, 'auth'>;
}

export const createAuthContext = ({ database, tokens, config }: AuthContextOptions): AuthContext => ({
  database,
  tokens,
  attempts: createAttempts(database),
  settings: config.auth,
});
