/** Single sign-on as people meet it: the provider's own pages, and cookies that a browser keeps. */
import { afterAll, describe, expect, it } from 'vitest';
import { openPage } from '../../chromium.js';
import { startIdentityProvider } from '../../services/identity.js';
import { useServer } from '../harness/use-server.js';
import { sampleSettings } from '../server-harness.js';
import { signOnServer } from './providers.js';

const identity = await startIdentityProvider();
afterAll(() => identity.close());

const settings = sampleSettings(import.meta.url);

describe.each(settings)('single sign-on in a browser on $dialect through $listener', (setting) => {
  const server = useServer(signOnServer(setting, identity));
  const at = (path: string): string => `${server().url}${path}`;

  it('redirects to the requested page with a session', async () => {
    identity.allow([at('/auth/login/acme/callback')]);
    const page = await openPage();
    try {
      identity.people.set('bea', { email: 'bea@example.com', email_verified: true, groups: ['editors'] });
      await page.goto(at(`/auth/login/acme?redirect=${encodeURIComponent(at('/users/me?fields=email'))}`));
      await page.locator('[name=login]').fill('bea');
      await page.locator('[name=password]').fill('any');
      await page.locator('[type=submit]').click();
      await page.getByRole('button', { name: /continue/i }).click();
      await page.waitForURL(at('/users/me?fields=email'));
      const names = (await page.context().cookies()).map(({ name }) => name);
      expect(names.filter((name) => name.startsWith('svc_'))).toEqual(['svc_session_token']);
      const books = await page.goto(at('/items/book?limit=1&sort=id&fields=id'));
      expect(books?.status()).toBe(200);
    } finally {
      await page.close();
    }
  });
});
