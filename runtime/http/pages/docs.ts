/** `/docs`: Swagger UI, served without external resources under a strict Content-Security-Policy. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { ApiResponse } from '../../request/api-request.js';
import { htmlHeaders } from './html.js';
import { initializer } from './docs-initializer.js';

const require = createRequire(import.meta.url);

interface DocsOptions {
  /** URL of the OpenAPI document, as seen by the browser. */
  readonly specUrl: string;
  /** Path prefix of the server without a trailing slash; empty at the root. */
  readonly base: string;
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Returns the page; `specUrl` is where it fetches the document, with the token that was entered in it. */
export const docsPage = ({ specUrl, base }: DocsOptions): ApiResponse => ({
  status: 200,
  headers: {
    ...htmlHeaders(policy),
    'cache-control': 'no-cache',
  },
  body: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API documentation</title>
    <link rel="stylesheet" href="${assetUrl(base, 'swagger-ui.css')}">
    <link rel="icon" type="image/png" href="${assetUrl(base, 'favicon-32x32.png')}">
  </head>
  <body>
    <p style="max-width: 1420px; margin: 1rem auto 0; padding: 0 20px; font: 14px sans-serif">
      This page lists what you may use. <strong>Authorize</strong> with a token to see more.
    </p>
    <div id="docs" data-spec-url="${escapeAttribute(specUrl)}"></div>
    <noscript>This page needs JavaScript. <a href="${escapeAttribute(specUrl)}">The OpenAPI document</a> does not.</noscript>
    <script src="${assetUrl(base, 'swagger-ui-bundle.js')}"></script>
    <script src="${assetUrl(base, initializerName)}"></script>
  </body>
</html>
`,
});

const initializerName = 'initializer.js';

/** Media types of the served files of Swagger UI, which the build copies beside this module. */
const contentTypes: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['swagger-ui-bundle.js.LICENSE.txt', 'text/plain; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);

/** Returns a file below `/docs/assets/`, or null if there is none of that name. */
export const docsAsset = async (name: string): Promise<ApiResponse | null> => {
  if (name === initializerName) return asset('text/javascript; charset=utf-8', initializer);
  const contentType = contentTypes.get(name);
  return contentType === undefined ? null : asset(contentType, await readFile(fileUrl(name)));
};

/** Returns an immutable response, as `assetUrl` changes with the content. */
const asset = (contentType: string, body: Buffer | string): ApiResponse => ({
  status: 200,
  headers: {
    'content-type': contentType,
    'cache-control': 'public, max-age=31536000, immutable',
  },
  body,
});

const assetUrl = (base: string, name: string): string =>
  escapeAttribute(`${base}/docs/assets/${name}?v=${versionOf(name)}`);

const versionOf = (name: string): string =>
  name === initializerName
    ? createHash('sha256').update(initializer).digest('hex').slice(0, 12)
    : swaggerUiVersion();

const fileUrl = (name: string): URL => new URL(`./swagger-ui/${name}`, import.meta.url);

/** Reads the file once: Node keeps what is required. */
const swaggerUiVersion = (): string =>
  (require(fileURLToPath(fileUrl('package.json'))) as { version: string }).version;

const escapeAttribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
