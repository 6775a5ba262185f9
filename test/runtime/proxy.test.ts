/** Behind a proxy that serves us below a path, as `PUBLIC_URL` says: it may hand on the path whole, or what follows. */
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPage } from '../chromium.js';
import { reservePort } from '../services/ports.js';
import { adminToken, startTestServer, type TestServer } from './server-harness.js';

const prefix = '/shop/api';

const startProxy = async (port: number, stripped: number): Promise<Server> => {
  const proxy = createServer((incoming, response) => {
    const { method, headers, url = '' } = incoming;
    if (!url.startsWith(`${prefix}/`)) return response.writeHead(404).end();
    const outgoing = request({ host: '127.0.0.1', port, path: url.slice(stripped), method, headers });
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    return incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return proxy;
};

describe.each([
  ['whole', 0],
  ['without the prefix', prefix.length],
])('behind a proxy that forwards the path %s', (_, stripped) => {
  let proxy: Server;
  let server: TestServer;
  beforeAll(async () => {
    const port = await reservePort();
    proxy = await startProxy(port, stripped);
    const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const environment = { PORT: String(port), PUBLIC_URL: origin + prefix, EXPLORER: 'true' };
    server = await startTestServer({ dialect: 'sqlite', environment });
  });
  afterAll(async () => {
    await server.close();
    proxy.close();
  });

  /** A page that was opened, and what it asked for: method, path, status. */
  const open = async (path: string) => {
    const page = await openPage();
    const asked: string[] = [];
    page.on('response', (response) => {
      const { protocol, pathname } = new URL(response.url());
      if (protocol === 'http:') asked.push(`${response.request().method()} ${pathname} ${response.status()}`);
    });
    await page.goto(server.url + path);
    return { page, asked };
  };

  it('/docs loads its files and the document', async () => {
    const { page, asked } = await open('/docs');
    await page.locator('.opblock-tag').first().waitFor();
    expect(asked).toContain(`GET ${prefix}/server/specs/oas 200`);
    expect(asked.filter((each) => !(each.includes(` ${prefix}/`) && each.endsWith(' 200')))).toEqual([]);
    await page.close();
  });

  it.each(['/graphql', '/graphql/system'])(
    'the page of %s sends requests to the public URL',
    async (path) => {
      const { page, asked } = await open(path.replace('graphql', 'graphiql'));
      await expect.poll(() => asked, { timeout: 60_000 }).toContain(`POST ${prefix}${path} 200`);
      await page.close();
    },
  );

  it('/reset-password sends the entered password', async () => {
    const { page, asked } = await open('/reset-password?token=of-a-mail');
    for (const name of ['password', 'again']) await page.fill(`[name=${name}]`, 'long enough for all');
    await page.click('button');
    await page.getByText('The link was used already').waitFor();
    expect(asked.at(-1)).toBe(`POST ${prefix}/auth/password/reset 403`);
    await page.close();
  });

  it('URLs in responses use the public URL', async () => {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ prompt: 'sea', width: 16, height: 16 });
    const submitted = await fetch(`${server.url}/queue/demo/image`, { method: 'POST', headers, body });
    const { status_url: status } = (await submitted.json()) as { status_url: string };
    expect(status.startsWith(`${server.url}/queue/demo/image/`)).toBe(true);
    expect((await fetch(status, { headers })).status).toBe(202);
    const made = await fetch(`${server.url}/run/demo/image`, { method: 'POST', headers, body });
    const { images } = (await made.json()) as { images: { url: string }[] };
    expect((await fetch(images[0]?.url ?? '')).headers.get('content-type')).toBe('image/png');
  });
});
