/** A team's own rule for passwords, in the spec, beside the minimum length. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ask } from '../graphql/library.js';
import { useServer } from '../harness/use-server.js';
import { sampleSettings } from '../server-harness.js';

const spec = fileURLToPath(new URL('password-spec', import.meta.url));

describe.each(sampleSettings(import.meta.url))(
  'a rule for passwords on $dialect through $listener',
  (setting) => {
    const server = useServer({ ...setting, spec });
    const message = 'A password has at least 8 characters. It has a digit';
    const create = (password: string) => {
      const body = { email: `${password}@example.com`, password };
      return server().request('POST', '/users', { as: 'admin', body });
    };
    const reset = (password: string) =>
      server().request('POST', '/auth/password/reset', { body: { token: 'x', password } });

    it.each(['no-digit-in-it', 'short-1'])(
      'refuses %s in REST, in GraphQL and in a reset',
      async (password) => {
        const refused = await create(password);
        expect(refused.errors).toMatchObject([{ code: 'FAILED_VALIDATION', field: 'password' }]);
        expect(refused.text).toContain(message);
        const mutation = `mutation { create_users_item(data: { password: "${password}" }) { id } }`;
        const asked = await ask(server(), mutation, { as: 'admin', path: '/graphql/system' });
        expect(asked.codes).toEqual(['FAILED_VALIDATION']);
        const answer = await reset(password);
        expect([answer.codes, answer.text.includes(message)]).toEqual([['INVALID_PAYLOAD'], true]);
      },
    );

    it('accepts what meets both', async () => {
      expect((await create('long-enough-1')).status).toBe(200);
      expect((await reset('long-enough-1')).codes).toEqual(['INVALID_TOKEN']);
    });
  },
);
