/** The SDK of the public system, unchanged: `fetch` renames the brand, as somebody who moves a program over would. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleDialects } from '../databases.js';
import { stopClock } from '../runtime/harness/clock.js';
import { startSmtp } from '../services/smtp.js';
import { startMuseum } from '../runtime/recorded/museum.js';
import { adminToken, type TestServer } from '../runtime/server-harness.js';
import { hashPassword } from '../../runtime/auth/passwords/hash.js';
import { contentSteps } from './public/content.js';
import { schemaSteps } from './public/schema.js';
import { severalSteps } from './public/several.js';
import { systemSteps } from './public/system.js';

const steps = { ...contentSteps, ...systemSteps, ...severalSteps, ...schemaSteps };

it('has no fewer steps than before', () => {
  expect(Object.keys(steps).length).toBeGreaterThanOrEqual(70);
});

const smtp = await startSmtp();
afterAll(() => smtp.close());

const tokenTo = async (address: string): Promise<string> => {
  const { text = '' } = await smtp.receive(address);
  return /[?&]token=(\S+)/.exec(text)?.[1] ?? '';
};

const brand = (text: string, from: string, to: string): string => text.replaceAll(`${from}_`, `${to}_`);

const renaming: typeof fetch = async (input, init = {}) => {
  const url = brand(String(input), 'directus', 'svc');
  const body = typeof init.body === 'string' ? brand(init.body, 'directus', 'svc') : init.body;
  const answer = await fetch(url, { ...init, ...(body !== undefined && { body }) });
  if (answer.status === 204) return answer;
  const { status, headers } = answer;
  return new Response(brand(await answer.text(), 'svc', 'directus'), { status, headers });
};

// steps are many requests, and each request is tested on every database elsewhere; later ones use what earlier ones made
for (const dialect of sampleDialects(import.meta.url))
  describe(`the public SDK on ${dialect}`, { shuffle: false }, () => {
    stopClock();
    let server: TestServer;
    beforeAll(async () => {
      server = await startMuseum(dialect, 'plain', smtp.environment);
      const password = await hashPassword('password');
      await server.execute(`update svc_users set password = '${password}' where email = 'admin@example.com'`);
    });
    afterAll(() => server.close());

    const notes = new Map<string, string>();

    it.each(Object.entries(steps))('completes %s', async (_, step) => {
      const surroundings = { url: server.url, token: adminToken, fetch: renaming, notes, tokenTo };
      await expect(step(surroundings)).resolves.toBeUndefined();
    });
  });
