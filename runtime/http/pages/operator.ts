/** `/operator`: the queue over all accounts. The page holds no data; what it shows comes from `/operator/…`, under its rights. */
import type { ApiResponse } from '../../request/api-request.js';
import { htmlHeaders, inlinePolicy } from './html.js';
import { operatorScript, operatorStart } from './operator-script.js';
import { operatorStyle } from './operator-style.js';
import { operatorViews } from './operator-views.js';

const script = operatorScript + operatorViews + operatorStart;

const policy = inlinePolicy({ style: operatorStyle, script });

const tabs = ['requests', 'models', 'webhooks', 'workers', 'accounts'];

/**
 * Returns the page for operators of the queue.
 * @param base path prefix of the server without a trailing slash; empty at the root
 */
export const operatorPage = (base: string): ApiResponse => ({
  status: 200,
  headers: { ...htmlHeaders(policy), 'cache-control': 'no-cache' },
  body: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Operate the queue</title>
    <link rel="icon" href="data:,">
    <style>${operatorStyle}</style>
  </head>
  <body data-base="${encodeURI(base)}">
    <header hidden>
      <strong>Queue</strong>
      <nav>${tabs.map((name) => `<a href="#/${name}">${name[0]?.toUpperCase()}${name.slice(1)}</a>`).join('')}</nav>
      <button id="logout">Log out</button>
    </header>
    <p id="say" role="status" aria-live="polite"></p>
    <main><noscript>This page needs JavaScript.</noscript></main>
    <script>${script}</script>
  </body>
</html>
`,
});
