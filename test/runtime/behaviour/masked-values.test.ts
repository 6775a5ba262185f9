/** The asterisks that concealed values are read as are not stored in their place. */
import { describe, expect, it } from 'vitest';
import { codeOf, enableCodes, login, peopleServer } from '../auth/people.js';
import { useServer } from '../harness/use-server.js';
import { dialectsOf } from '../../databases.js';

describe.each(dialectsOf(import.meta.url))('asterisks of concealed values on %s', (dialect) => {
  const server = useServer(peopleServer({ dialect }));
  const userOf = (name: string): string => server().ids.users.get(name) ?? '';

  it.each(['password', 'tfa_secret', 'token'])('are refused as "%s"', async (field) => {
    const body = { [field]: '**********' };
    const { status, errors } = await server().request('PATCH', `/users/${userOf('ann')}`, {
      as: 'admin',
      body,
    });
    const expected = 'a new value, not the asterisks that it is read as';
    expect([status, errors]).toMatchObject([
      400,
      [{ code: 'FAILED_VALIDATION', field, expected, pointer: `/${field}` }],
    ]);
    expect((await login(server(), 'ann')).status).toBe(200);
  });

  it('are refused in a new user and over GraphQL', async () => {
    const body = { email: 'new@example.com', password: '**********' };
    expect((await server().request('POST', '/users', { as: 'admin', body })).codes).toEqual([
      'FAILED_VALIDATION',
    ]);
    const query = `mutation { update_users_item(id: "${userOf('ann')}", data: { password: "**********" }) { id } }`;
    const answer = await server().request('POST', '/graphql/system', { as: 'admin', body: { query } });
    expect(answer.codes).toEqual(['FAILED_VALIDATION']);
  });

  it('are refused in a record that is sent back whole, which keeps its second factor', async () => {
    const secret = await enableCodes(server(), 'ben');
    const path = `/users/${userOf('ben')}?fields=email,password,tfa_secret`;
    const { data } = await server().request('GET', path, { as: 'admin' });
    expect((await server().request('PATCH', path, { as: 'admin', body: data })).status).toBe(400);
    expect((await login(server(), 'ben', { otp: codeOf(secret) })).status).toBe(200);
  });
});
