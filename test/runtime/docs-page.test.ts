import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emitOpenApi } from '../../generator/emitters/openapi/index.js';
import { docsAsset, docsPage } from '../../runtime/http/pages/docs.js';
import type { ApiResponse } from '../../runtime/request/api-request.js';
import { openPage } from '../chromium.js';
import { albums } from '../generator/models.js';

const base = '/api';
const specUrl = `${base}/server/specs/oas`;

describe('the page of the docs', () => {
  it('names no other server', () => {
    const { body, headers } = docsPage({ specUrl, base });
    expect(String(body)).not.toMatch(/https?:\/\/|"\/\//);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('has no inline script', () => {
    const scripts = [...String(docsPage({ specUrl, base }).body).matchAll(/<script([^>]*)>([^<]*)/g)];
    expect(
      scripts.map(([, attributes, code]) => [attributes?.startsWith(' src="/api/docs/assets/'), code]),
    ).toEqual([
      [true, ''],
      [true, ''],
    ]);
  });

  it('escapes the URL of the document', () => {
    const { body } = docsPage({ specUrl: '/"><script>alert(1)</script>', base: '' });
    expect(String(body)).toContain('data-spec-url="/&quot;>&lt;script>alert(1)&lt;/script>"');
  });
});

describe('assets of the docs', () => {
  it.each([
    ['swagger-ui.css', 'text/css; charset=utf-8'],
    ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
    ['initializer.js', 'text/javascript; charset=utf-8'],
    ['favicon-32x32.png', 'image/png'],
  ])('serve %s as immutable', async (name, contentType) => {
    const asset = await docsAsset(name);
    expect(asset?.headers['content-type']).toBe(contentType);
    expect(asset?.headers['cache-control']).toContain('immutable');
    expect(String(asset?.body).length).toBeGreaterThan(100);
  });

  it.each(['', 'index.html', '../package.json', 'package.json', '__proto__', 'swagger-ui.css/..'])(
    'do not serve "%s"',
    async (name) => {
      expect(await docsAsset(name)).toBeNull();
    },
  );
});

describe('the docs in a browser', () => {
  const document = emitOpenApi(albums())[0]?.content ?? '';
  const tokens: (string | undefined)[] = [];
  let server: Server;

  const answer = async (path: string): Promise<ApiResponse | null> => {
    if (path === `${base}/docs`) return docsPage({ specUrl, base });
    if (path === specUrl) {
      return { status: 200, headers: { 'content-type': 'application/json' }, body: document };
    }
    return path.startsWith(`${base}/docs/assets/`)
      ? docsAsset(path.slice(`${base}/docs/assets/`.length))
      : null;
  };

  beforeAll(async () => {
    server = createServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname;
      if (path === specUrl) tokens.push(request.headers.authorization);
      void answer(path).then((found) => {
        response.writeHead(found?.status ?? 404, found?.headers ?? {});
        response.end(found?.body ?? undefined);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => void server?.close());

  it('show every collection, fetch with the token, and leave the console empty', async () => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const page = await openPage({ viewport: { width: 1200, height: 1400 } });
    const complaints: string[] = [];
    const foreign: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('data:'))
        foreign.push(request.url());
    });

    await page.goto(`${origin}${base}/docs`);
    const tags = page.locator('.opblock-tag');
    await tags.first().waitFor();
    expect(await tags.evaluateAll((nodes) => nodes.map((node) => node.getAttribute('data-tag')))).toEqual([
      'Album',
      'Artist',
      'svc_users',
      'Server',
    ]);

    await page.locator('.opblock-tag[data-tag="Album"]').click();
    await page.locator('#operations-Album-listAlbum').click();
    await page.locator('#operations-Album-listAlbum .parameters-container').waitFor();

    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.locator('#auth-bearer-value').fill('secret-token');
    const fetchedAgain = page.waitForResponse((response) => response.url().endsWith(specUrl));
    await page.locator('.auth-btn-wrapper button.authorize').first().click();
    await fetchedAgain;
    expect(tokens).toEqual([undefined, 'Bearer secret-token']);

    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
    await page.close();
  });
});
