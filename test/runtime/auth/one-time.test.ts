/** One-time passwords. */
import { describe, expect, it } from 'vitest';
import { ask } from '../graphql/library.js';
import { stopClock } from '../harness/clock.js';
import { useServer } from '../harness/use-server.js';
import { settings } from '../server-harness.js';
import { activityOf, codeOf, enableCodes, login, password, peopleServer } from './people.js';

describe.each(settings)('one-time passwords on $dialect through $door', (setting) => {
  stopClock();
  const server = useServer({ ...peopleServer(setting), ...setting });
  const post = (path: string, body: unknown, as?: string) =>
    server().request('POST', path, { body, ...(as !== undefined && { as }) });
  const generate = async (as: string) => {
    const { data } = await post('/users/me/tfa/generate', { password }, as);
    return data as { readonly secret: string; readonly otpauth_url: string };
  };
  const enable = (as: string): Promise<string> => enableCodes(server(), as);
  const disableBy = (as: string, user: string) =>
    post(`/users/${server().ids.users.get(user)}/tfa/disable`, {}, as);

  const guess = () => post('/users/me/tfa/generate', { password: 'guess' }, 'ann');
  const disable = (otp: string) => post('/users/me/tfa/disable', { otp }, 'ann');

  it('need a login and the password', async () => {
    expect((await post('/users/me/tfa/generate', { password })).codes).toEqual(['INVALID_CREDENTIALS']);
    expect((await post('/users/me/tfa/generate', { password: 'no' }, 'ann')).codes).toEqual([
      'INVALID_CREDENTIALS',
    ]);
    expect((await post('/users/me/tfa/generate', {}, 'ann')).codes).toEqual(['INVALID_PAYLOAD']);
    const { secret, otpauth_url: url } = await generate('ann');
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(url).toMatch(/^otpauth:\/\/totp\/svc:ann%40example\.com\?/);
    expect((await login(server(), 'ann')).status).toBe(200);
  });

  it('count once a code has shown that the secret arrived', async () => {
    const { secret } = await generate('ann');
    expect((await post('/users/me/tfa/enable', { secret, otp: '000000' }, 'ann')).codes).toEqual([
      'INVALID_PAYLOAD',
    ]);
    expect((await post('/users/me/tfa/enable', { secret: '?', otp: '000000' }, 'ann')).codes).toEqual([
      'INVALID_PAYLOAD',
    ]);
    expect((await login(server(), 'ann')).status).toBe(200);
  });

  it('are turned on once, even where two secrets come at the same time', async () => {
    const secrets = [(await generate('dora')).secret, (await generate('dora')).secret];
    const answers = await Promise.all(
      secrets.map((secret) => post('/users/me/tfa/enable', { secret, otp: codeOf(secret, -1) }, 'dora')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400]);
    expect(answers.flatMap(({ codes }) => codes)).toEqual(['INVALID_PAYLOAD']);
    const kept = secrets[answers.findIndex(({ status }) => status === 204)] ?? '';
    expect((await login(server(), 'dora', { otp: codeOf(kept) })).status).toBe(200);
  });

  it('are asked for after the password, each accepted once, in every process', async () => {
    const secret = await enable('ben');
    const other = await server().startAnother();
    try {
      expect((await login(server(), 'ben')).codes).toEqual(['INVALID_OTP']);
      expect((await login(server(), 'ben', { password: 'no' })).codes).toEqual(['INVALID_CREDENTIALS']);
      expect((await login(server(), 'ben', { otp: '000000' })).codes).toEqual(['INVALID_OTP']);
      const otp = codeOf(secret);
      const both = await Promise.all([login(server(), 'ben', { otp }), login(other, 'ben', { otp })]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
      expect((await login(other, 'ben', { otp })).codes).toEqual(['INVALID_OTP']);
      expect((await post('/users/me/tfa/generate', { password }, 'ben')).codes).toEqual(['INVALID_PAYLOAD']);
      expect((await post('/users/me/tfa/disable', { otp }, 'ben')).codes).toEqual(['INVALID_PAYLOAD']);
      expect((await post('/users/me/tfa/disable', { otp: codeOf(secret, 1) }, 'ben')).status).toBe(204);
      expect((await login(server(), 'ben')).status).toBe(200);
    } finally {
      await other.close();
    }
  });

  it('do not make guesses of the password, or of codes, be forgotten by what proves neither', async () => {
    const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
    const enableOwn = () => post('/users/me/tfa/enable', { secret, otp: codeOf(secret, -1) }, 'ann');
    for (let round = 0; round < 2; round += 1) {
      for (let each = 0; each < 5; each += 1) expect((await guess()).codes).toEqual(['INVALID_CREDENTIALS']);
      expect((await enableOwn()).status).toBe(204);
      expect((await disable('000000')).codes).toEqual(['INVALID_PAYLOAD']);
      expect((await disable(codeOf(secret))).status).toBe(204);
    }
    expect((await guess()).codes).toEqual(['REQUESTS_EXCEEDED']);
    expect((await enableOwn()).status).toBe(204);
    for (let each = 0; each < 10; each += 1)
      expect((await disable('000000')).codes).toEqual(['INVALID_PAYLOAD']);
    expect((await enableOwn()).codes).toEqual(['INVALID_PAYLOAD']);
    expect((await disable(codeOf(secret))).codes).toEqual(['REQUESTS_EXCEEDED']);
  });

  it('are turned off by administrators, for others', async () => {
    await enable('cleo');
    const concealed = await server().request(
      'GET',
      `/users/${server().ids.users.get('cleo')}?fields=tfa_secret,tfa_step`,
      {
        as: 'admin',
      },
    );
    expect(concealed.data).toEqual({ tfa_secret: '**********', tfa_step: '**********' });
    expect((await disableBy('ben', 'cleo')).codes).toEqual(['FORBIDDEN']);
    expect((await login(server(), 'cleo')).codes).toEqual(['INVALID_OTP']);
    expect((await disableBy('admin', 'cleo')).status).toBe(204);
    expect((await login(server(), 'cleo')).status).toBe(200);
  });

  it('leave the row of a write when they are turned on and off, by whom, and none at a login', async () => {
    const ben = server().ids.users.get('ben') ?? '';
    const me = await server().request('GET', '/users/me?fields=id', { as: 'admin' });
    const { id: admin } = me.data as { readonly id: string };
    const nobody = crypto.randomUUID();
    await server().execute('delete from svc_activity');
    const secret = await enable('ben');
    expect((await login(server(), 'ben', { otp: codeOf(secret) })).status).toBe(200);
    expect((await post('/users/me/tfa/disable', { otp: '000000' }, 'ben')).status).toBe(400);
    expect((await post('/users/me/tfa/disable', { otp: codeOf(secret, 1) }, 'ben')).status).toBe(204);
    await enable('ben');
    expect((await disableBy('admin', 'ben')).status).toBe(204);
    expect((await post(`/users/${nobody}/tfa/disable`, {}, 'admin')).codes).toEqual(['FORBIDDEN']);
    const mutation = `mutation { users_tfa_disable(id: "${nobody}") }`;
    const system = { as: 'admin', path: '/graphql/system' };
    expect((await ask(server(), mutation, system)).codes).toEqual(['FORBIDDEN']);
    const body = { first_name: 'Ben' };
    await server().request('PATCH', `/users/${ben}`, { as: 'admin', body });
    const found = await activityOf(server(), ben);
    const common = { action: 'update', ip: found.at(-1)?.ip, user_agent: found.at(-1)?.user_agent };
    const change = { ...common, fields: ['tfa_secret', 'tfa_step'] };
    expect(found).toMatchObject([
      { ...change, user: ben },
      { ...change, user: ben },
      { ...change, user: ben },
      { ...change, user: admin },
      { ...common, fields: ['first_name'], user: admin },
    ]);
    expect([common.ip, common.user_agent]).toEqual([expect.any(String), expect.any(String)]);
    expect(JSON.stringify(found)).not.toContain(secret);
    expect(await activityOf(server(), nobody)).toEqual([]);
  });

  it('are not turned on where nothing can be told of it', async () => {
    await server().execute('alter table svc_activity rename to svc_activity_away');
    try {
      await expect(enable('ben')).rejects.toThrow('INTERNAL');
    } finally {
      await server().execute('alter table svc_activity_away rename to svc_activity');
    }
    expect((await login(server(), 'ben')).status).toBe(200);
  });
});
