/** Static tokens stored as they are. */
import { createKeys } from '../../../runtime/auth/keys.js';
import { createStaticTokens } from '../../../runtime/auth/static-tokens.js';

export const plainTokens = createStaticTokens(
  createKeys(['a secret of the tests, long enough for all']),
  'plain',
);
export const toStoredToken = plainTokens.toStored;
