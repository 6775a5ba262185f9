/** While the database is away, the queue answers in its own form and says when to come back. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../runtime/queue/requests/keys.js';
import { createKeys, exportSecrets } from '../../runtime/auth/keys.js';
import { startCuttingProxy, type CuttingProxy } from '../runtime/harness/cutting-proxy.js';
import { useServer } from '../runtime/harness/use-server.js';
import { testSecret, type TestServer } from '../runtime/server-harness.js';

describe.each(['mariadb', 'mysql', 'postgres'] as const)('without its database %s', (dialect) => {
  const direct = useServer({ dialect, access: { users: { ann: {} } } });
  let proxy: CuttingProxy;
  let server: TestServer;
  let authorization = '';

  beforeAll(async () => {
    proxy = await startCuttingProxy(direct().databaseUrl);
    server = await direct().startAnother({ DATABASE_URL: proxy.url });
    const account = direct().ids.users.get('ann') ?? '';
    const owner = { account, name: null, models: null, expires: null };
    const { key } = await createKey(direct().database, owner, await exportSecrets(createKeys([testSecret])));
    authorization = `Key ${key}`;
    // the queue is loaded while the database is there
    await server.request('GET', '/queue/demo/image/requests/x', { headers: { authorization } });
    await proxy.close();
  });
  afterAll(() => server.close());

  it.each([
    ['POST', '/queue/demo/image'],
    ['GET', '/queue/demo/image/requests/01a20ada-5251-73e9-9f79-ff0f8cd1a178/status'],
    ['GET', '/queue/demo/image/requests/01a20ada-5251-73e9-9f79-ff0f8cd1a178'],
    ['PUT', '/queue/demo/image/requests/01a20ada-5251-73e9-9f79-ff0f8cd1a178/cancel'],
    ['POST', '/run/demo/image'],
  ])('%s %s is 503 with Retry-After', async (method, path) => {
    const body = method === 'POST' ? { body: { prompt: 'sea' } } : {};
    const answer = await server.request(method, path, { ...body, headers: { authorization } });
    expect([
      answer.status,
      answer.headers.get('retry-after'),
      answer.headers.get('x-svc-error-type'),
    ]).toEqual([503, '1', 'service_unavailable']);
    expect(answer.body).toEqual({ detail: expect.any(String), error_type: 'service_unavailable' });
  });
});
