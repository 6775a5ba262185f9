/** The layout of our own small pages: self-contained, in the colours that the browser prefers. */
import type { ApiResponse } from '../../request/api-request.js';
import { htmlHeaders, inlinePolicy } from './html.js';

interface PageOptions {
  readonly title: string;
  /** HTML of the content, without the heading. */
  readonly content: string;
  /** JavaScript that runs after the content. */
  readonly script?: string;
  readonly status?: number;
}

const style = `
:root { color-scheme: light dark; --text: #1a1a1a; --page: #f5f5f4; --card: #fff; --line: #8a8a86; --strong: #1a1a1a; --on-strong: #fff; --link: #0b57a4 }
@media (prefers-color-scheme: dark) {
  :root { --text: #e7e5e4; --page: #1c1b1a; --card: #292826; --line: #8f8c88; --strong: #e7e5e4; --on-strong: #1a1a1a; --link: #8ec5ff }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); margin: 0; display: grid; min-height: 100vh; place-items: center }
main { background: var(--card); padding: 32px; border-radius: 12px; width: min(440px, 100vw - 32px); box-sizing: border-box; overflow-wrap: anywhere }
h1 { font-size: 20px; margin: 0 0 16px }
a { color: var(--link) }
dt { font-weight: 600 }
dd { margin: 0 0 12px }
dd:last-child, p:last-child { margin-bottom: 0 }
label { display: block; margin-bottom: 16px; font-size: 14px }
input { display: block; width: 100%; box-sizing: border-box; font: inherit; color: inherit; background: transparent; padding: 8px 10px; margin-top: 4px; border: 1px solid var(--line); border-radius: 6px }
[hidden] { display: none }
button { font: inherit; width: 100%; padding: 10px; border: 0; border-radius: 6px; background: var(--strong); color: var(--on-strong); cursor: pointer }
button:disabled { opacity: .6 }
[role=status]:not(:empty) { margin: 16px 0 0 }
`;

/** Returns a page as a response that is not stored. */
export const layoutPage = ({ title, content, script, status = 200 }: PageOptions): ApiResponse => ({
  status,
  headers: { ...htmlHeaders(inlinePolicy({ style, script })), 'cache-control': 'no-store', vary: 'accept' },
  body: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <style>${style}</style>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      ${content}
    </main>${script === undefined ? '' : `\n    <script>${script}</script>`}
  </body>
</html>
`,
});

/** Returns whether a client prefers a page, as browsers do. */
export const prefersHtml = ({ accept }: Readonly<Record<string, unknown>>): boolean =>
  String(accept ?? '').includes('text/html');
