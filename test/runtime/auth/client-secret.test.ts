/** How the secret of the client reaches a provider. */
import { afterAll, describe, expect, it } from 'vitest';
import { startIdentityProvider } from '../../services/identity.js';
import { useServer } from '../harness/use-server.js';
import { sampleSettings } from '../server-harness.js';
import { codeOf, signOnServer, signOnVisits } from './providers.js';

const identity = await startIdentityProvider();
afterAll(() => identity.close());

const [setting] = sampleSettings(import.meta.url);
if (setting === undefined) throw new Error('there is no setting');

describe.each([
  { provider: 'acme', method: 'client_secret_post', settings: {} },
  { provider: 'acme', method: 'client_secret_basic', settings: {} },
  {
    provider: 'plain',
    method: 'client_secret_basic',
    settings: { AUTH_PLAIN_CLIENT_TOKEN_ENDPOINT_AUTH_METHOD: 'client_secret_basic' },
  },
] as const)('$provider with $method', ({ provider, method, settings }) => {
  const options = signOnServer(setting, identity);
  const server = useServer({ ...options, environment: { ...options.environment, ...settings } });
  const { at, enter } = signOnVisits(server);

  it('lets people in', async () => {
    identity.allow([at(`/auth/login/${provider}/callback`)], method);
    expect(codeOf((await enter(provider, method)).answer)).toBe(200);
  });
});
