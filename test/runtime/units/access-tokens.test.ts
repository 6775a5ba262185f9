/** Tokens are accepted for the purpose that they were signed for. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createKeys } from '../../../runtime/auth/keys.js';
import { createTokens } from '../../../runtime/auth/tokens.js';

const tokens = createTokens(createKeys(['a-secret-of-at-least-thirty-two-letters']));
const claims = { user: randomUUID(), session: randomUUID(), generation: 3, expires: Date.now() + 60_000 };

it('an access token has the claims that were signed', async () => {
  const expires = Math.ceil(claims.expires / 1000) * 1000;
  expect(await tokens.readClaims(await tokens.signAccess(claims))).toEqual({ ...claims, expires });
});

it.each(['reset', 'invite', 'state'] as const)(
  'a token for %s is no access token, whatever it contains',
  async (purpose) => {
    const { user, session, generation } = claims;
    const token = await tokens.sign(purpose, { id: user, session, generation }, 60_000);
    await expect(tokens.readClaims(token)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
  },
);
