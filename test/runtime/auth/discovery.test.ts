/** Discovery of an identity provider that fails: the caller gets 503, and the log has the cause. */
import { afterAll, expect, it } from 'vitest';
import { createProvider } from '../../../runtime/auth/sign-on/provider.js';
import { loadConfig } from '../../../runtime/config/config.js';
import { reservePort } from '../../services/ports.js';
import { startIdentityProvider } from '../../services/identity.js';
import { providersOf } from './providers.js';

const identity = await startIdentityProvider();
afterAll(() => identity.close());

const path = '/late/.well-known/openid-configuration';

/** Begins a login at a provider whose discovery document is this, and returns what the caller and the log get. */
const begin = async (issuer: string, document: string | number | null) => {
  identity.answers.set(path, (response) => {
    if (document === null) response.destroy();
    else if (typeof document === 'number') response.writeHead(document).end();
    else response.setHeader('content-type', 'application/json').end(document);
  });
  const environment = { ...providersOf(identity), AUTH_ACME_ISSUER_URL: issuer };
  const { auth } = loadConfig({ ...environment, DATABASE_URL: 'sqlite:unused' });
  const config = auth.providers.find(({ name }) => name === 'acme');
  if (config === undefined) throw new Error('acme is not configured');
  const warnings: string[] = [];
  const options = { callback: () => 'http://127.0.0.1', warn: (message: string) => warnings.push(message) };
  const provider = createProvider(config, options);
  const error: unknown = await provider.begin().catch((caught: unknown) => caught);
  const again: unknown = await provider.begin().catch((caught: unknown) => caught);
  return { error, again, warnings };
};

const issuer = `${identity.issuer}/late`;

it.each([
  [
    'of another issuer',
    issuer,
    '{"issuer":"https://other.example"}',
    'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  ],
  ['that is not JSON', issuer, 'no', 'OAUTH_PARSE_ERROR'],
  ['that is missing', issuer, 404, 'OAUTH_RESPONSE_IS_NOT_CONFORM, HTTP 404'],
  ['of a server that hangs up', issuer, null, 'UND_ERR_SOCKET'],
  ['of a server that is away', `http://127.0.0.1:${await reservePort()}`, null, 'ECONNREFUSED'],
])('a discovery document %s', async (_, url, document, causes) => {
  const { error, again, warnings } = await begin(url, document);
  expect(error).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringContaining(
      'the provider "acme" could not be reached, or its discovery document is invalid',
    ) as string,
  });
  // one attempt, one warning, however many logins start
  expect(again).toBe(error);
  expect(warnings).toEqual([`discovery at the provider "acme" failed (${causes}); check its ISSUER_URL`]);
});
