/** Pages for people: where a server says what it is, and what to do where something is off or missing. */
import { describe, expect, it } from 'vitest';
import { graphiqlPage } from '../../runtime/http/pages/graphiql.js';
import { openPage } from '../chromium.js';
import { useServer } from './harness/use-server.js';

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const sql = 'create table painting (id integer primary key)';

describe.each([
  ['with the explorer', { EXPLORER: 'true' }, true],
  ['without the explorer', {}, false],
] as const)('the page of the server %s', (_, environment, explorer) => {
  const server = useServer({ dialect: 'sqlite', sql, environment });

  it('links the pages that exist', async () => {
    const { status, headers, text } = await server().request('GET', '/', { headers: html });
    expect([status, headers.get('content-type'), headers.get('vary')]).toEqual([
      200,
      'text/html; charset=utf-8',
      expect.stringMatching(/accept/i),
    ]);
    const links = Array.from(text.matchAll(/href="(\/[^"]*)"/g), ([, path = '']) => path);
    expect(links.includes('/docs') && links.includes('/graphiql')).toBe(explorer);
    for (const path of links) expect((await server().request('GET', path)).status).toBe(200);
    expect(text.includes('EXPLORER=true')).toBe(!explorer);
  });

  it('is JSON for programs', async () => {
    const { status, data } = await server().request('GET', '/');
    expect([status, data]).toEqual([
      200,
      expect.objectContaining({
        name: 'svc',
        links: expect.objectContaining({ '/server/health': expect.any(String) }),
      }),
    ]);
  });

  it.each(['/docs', '/graphiql', '/graphiql/system'])(
    '%s explains how to enable it if it is disabled',
    async (path) => {
      const page = await server().request('GET', path, { headers: html });
      const answer = await server().request('GET', path);
      expect([
        page.status,
        answer.status,
        page.text.includes('Set EXPLORER=true'),
        answer.text.includes('set EXPLORER=true to turn it on'),
      ]).toEqual(explorer ? [200, 200, false, false] : [404, 404, true, true]);
    },
  );
});

describe('in a browser', () => {
  const server = useServer({ dialect: 'sqlite', sql, environment: { EXPLORER: 'true' } });

  it('/reset-password without a token explains what to do', async () => {
    const page = await openPage();
    await page.goto(`${server().url}/reset-password`);
    await page.getByText('Open this page with the link of the mail').waitFor();
    expect(await page.locator('input:visible, button:visible').count()).toBe(0);
    await page.close();
  });

  it.each(['/', '/reset-password', '/docs', '/graphiql'])(
    '%s is dark if the browser prefers that, and fits a phone',
    async (path) => {
      const page = await openPage({ colorScheme: 'dark', viewport: { width: 390, height: 800 } });
      await page.goto(`${server().url}${path}`);
      await page.locator('main, .graphiql-container').first().waitFor();
      const { luminance, overflow } = await page.evaluate(() => {
        const shown = [...document.querySelectorAll('main, .graphiql-container, body, html')].map(
          (each) => getComputedStyle(each).backgroundColor,
        );
        const color = shown.find((each) => each !== 'rgba(0, 0, 0, 0)') ?? '';
        return { luminance: color, overflow: document.documentElement.scrollWidth - innerWidth };
      });
      const [red = 255] = Array.from(luminance.matchAll(/[\d.]+/g), Number);
      const isDark = luminance.startsWith('hsl') ? true : red < 100;
      expect({ path, isDark, overflow: overflow > 0 }).toEqual({ path, isDark: true, overflow: false });
      await page.close();
    },
    60_000,
  );
});

it('the hint of GraphiQL is whole in a narrow editor, and its page has a viewport', async () => {
  const body = String((await graphiqlPage({ headers: {} }, '/graphql')).body);
  expect(body).toMatch(/<meta name="viewport" content="width=device-width/);
  const [hint = ''] = /# You see what[^{]*\{[^}]*\}[^{]*/.exec(body) ?? [];
  expect(hint).toContain('Bearer TOKEN');
  for (const line of hint.split('\\n')) expect(line.length).toBeLessThanOrEqual(20);
});
