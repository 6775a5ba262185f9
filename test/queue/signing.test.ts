import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseKeys, rotateSigningKey, signingKeys, signingLead } from '../../runtime/queue/store/secrets.js';
import { startTestServer, type TestServer } from '../runtime/server-harness.js';

const day = signingLead;

const keyOf = (id: string, created: number) => ({ id, created, privateKey: '', publicKey: '' });

describe('signing keys of webhooks', () => {
  const [old, fresh] = [keyOf('old', 0), keyOf('fresh', 10 * day)];
  const at = (now: number) => {
    const chosen = chooseKeys([fresh, old], now);
    return [chosen?.signer.id, chosen?.published.map(({ id }) => id)];
  };

  it.each([
    ['is published before it signs', 10 * day, 'old', ['fresh', 'old']],
    ['signs after a day, the old one still published', 11 * day, 'fresh', ['fresh', 'old']],
    ['is alone after another day', 12 * day, 'fresh', ['fresh']],
  ])('a new one %s', (_, now, signer, published) => {
    expect(at(now)).toEqual([signer, published]);
  });

  it('the first one signs immediately', () => {
    expect(chooseKeys([old], 1)?.signer).toBe(old);
    expect(chooseKeys([], 1)).toBeNull();
  });
});

describe('rotation', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ dialect: 'sqlite' });
  });
  afterAll(() => server.close());

  const idsOf = async (now: number) => {
    const { signer, published } = await signingKeys(server.database, now);
    return { signer: signer.id, published: published.map(({ id }) => id) };
  };
  const served = async () => {
    const { keys } = (await (await fetch(`${server.url}/.well-known/jwks.json`)).json()) as {
      keys: { kid: string }[];
    };
    return keys.map(({ kid }) => kid);
  };

  it('publishes keys to pages of any origin', async () => {
    const { headers } = await fetch(`${server.url}/.well-known/jwks.json`, {
      headers: { origin: 'https://elsewhere.example.com' },
    });
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });

  it('always leaves signatures verifiable', async () => {
    const now = Date.now();
    const first = await idsOf(now);
    await rotateSigningKey(server.database, { now, atOnce: false });
    const second = await idsOf(now);
    expect(second.signer).toBe(first.signer);
    expect(await served()).toEqual(second.published);
    expect(second.published).toHaveLength(2);
    expect((await idsOf(now + day)).signer).not.toBe(first.signer);
  });

  it('can revoke old keys immediately', async () => {
    const before = await idsOf(Date.now());
    await rotateSigningKey(server.database, { now: Date.now() + 1, atOnce: true });
    const { signer, published } = await idsOf(Date.now() + 2);
    expect(before.published).not.toContain(signer);
    expect(published).toEqual([signer]);
    expect(await served()).toEqual([signer]);
  });
});
