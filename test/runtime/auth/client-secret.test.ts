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

describe.each(['client_secret_post', 'client_secret_basic'] as const)('a provider with %s', (method) => {
  const server = useServer(signOnServer(setting, identity));
  const { at, enter } = signOnVisits(server);

  it('lets people in', async () => {
    identity.allow([at('/auth/login/acme/callback')], method);
    expect(codeOf((await enter('acme', method)).answer)).toBe(200);
  });
});
