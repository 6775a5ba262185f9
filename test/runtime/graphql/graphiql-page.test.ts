/** GraphiQL as a person meets it: from our server alone, with the schema of whoever asks. */
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openPage } from '../../chromium.js';
import { graphiqlPage } from '../../../runtime/http/pages/graphiql.js';
import { useServer } from '../harness/use-server.js';
import { adminToken } from '../server-harness.js';

const server = useServer({
  dialect: 'sqlite',
  sql: "create table paintings (id integer primary key, title text); insert into paintings values (1, 'Harbour')",
  environment: { EXPLORER: 'true' },
});

const ask = (headers: Record<string, string>) => graphiqlPage({ headers }, '/api/graphql');

describe('the page', () => {
  it('contains its endpoint and no other server', async () => {
    const { body, headers } = await ask({});
    expect(String(body)).toContain('"endpoint":"/api/graphql"');
    expect(headers['content-security-policy']).toContain("connect-src 'self'");
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it('is compressed if accepted, and 304 if current', async () => {
    const [plain, packed] = [await ask({}), await ask({ 'accept-encoding': 'br, gzip' })];
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.body as Buffer).equals(plain.body as Buffer)).toBe(true);
    const again = await ask({ 'if-none-match': packed.headers.etag ?? '' });
    expect(again).toMatchObject({ status: 304, body: null });
  });

  it('is served with the explorer only', async () => {
    const { status, headers } = await server().request('GET', '/graphiql');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect((await server().request('GET', '/graphiql/system')).status).toBe(200);
    expect((await server().request('POST', '/graphiql')).codes).toEqual(['METHOD_NOT_ALLOWED']);
  });
});

describe('in a browser', () => {
  it('runs a query as the caller, explores the schema and sends no request to other servers', async () => {
    const { url } = server();
    const page = await openPage({ viewport: { width: 1400, height: 900 } });
    const complaints: string[] = [];
    const foreign: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) foreign.push(request.url());
    });
    const query = '{ paintings { id title } }';
    const headers = JSON.stringify({ authorization: `Bearer ${adminToken}` });
    await page.goto(`${url}/graphiql?query=${encodeURIComponent(query)}`);
    // nobody may read it
    const unknown = page.locator('.squiggly-error').first();
    await unknown.waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Headers' }).click();
    await page.locator('.graphiql-editor-tool .monaco-editor:visible').click();
    await page.keyboard.insertText(headers);
    await page.locator('.graphiql-execute-button').click();
    await page.locator('.graphiql-response', { hasText: 'Harbour' }).waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Re-fetch GraphQL schema' }).click();
    await unknown.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.locator('.graphiql-doc-explorer', { hasText: 'paintings' }).waitFor();
    const { SCREENSHOT: path } = process.env;
    if (path !== undefined) await page.screenshot({ path });
    expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] });
    await page.close();
  }, 120_000);
});
