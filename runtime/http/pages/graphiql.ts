/** `/graphiql`: GraphiQL as one self-contained page, rendered on first use and cached compressed. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { ApiRequest, ApiResponse } from '../../request/api-request.js';
import { htmlHeaders } from './html.js';

interface Page {
  readonly compressed: Buffer;
  readonly etag: string;
}

/** Allows inline scripts and styles, as the page is one file, and blob workers for the editors. */
const policy = [
  "default-src 'none'",
  "script-src 'unsafe-inline' blob:",
  'worker-src blob:',
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pages = new Map<string, Promise<Page>>();

/**
 * Returns the GraphiQL page.
 * @param endpoint path of the GraphQL endpoint, as seen by the browser
 */
export const graphiqlPage = async (
  { headers }: Pick<ApiRequest, 'headers'>,
  endpoint: string,
): Promise<ApiResponse> => {
  const rendering = pages.get(endpoint) ?? render(endpoint);
  pages.set(endpoint, rendering);
  rendering.catch(() => pages.delete(endpoint));
  const { compressed, etag } = await rendering;
  const common = { etag, 'cache-control': 'no-cache', vary: 'accept-encoding' };
  if (String(headers['if-none-match'] ?? '').includes(etag))
    return { status: 304, headers: common, body: null };
  const takesGzip = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
  return {
    status: 200,
    headers: {
      ...common,
      ...htmlHeaders(policy),
      ...(takesGzip && { 'content-encoding': 'gzip' }),
    },
    body: takesGzip ? compressed : await promisify(gunzip)(compressed),
  };
};

const render = async (endpoint: string): Promise<Page> => {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const rendered = renderGraphiQL({
    title: 'GraphiQL',
    endpoint,
    defaultQuery: welcome,
    favicon: 'data:,',
    logo: '<span></span>',
  });
  const head = rendered.includes('name="viewport"') ? narrow : viewport + narrow;
  const html = rendered.replace('</head>', `${head}</head>`);
  const etag = `"${createHash('sha256').update(html).digest('base64url').slice(0, 20)}"`;
  return { compressed: await promisify(gzip)(html), etag };
};

const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">';

/** Puts the response below the query on screens narrower than a tablet. */
const narrow = `<style>@media (max-width: 767px) {
  .graphiql-container #graphiql-session { flex-direction: column; }
  .graphiql-container #graphiql-session > * { min-width: 0; min-height: 48%; }
}</style>`;

/** The first query of the editor, in lines that fit a phone. */
const welcome = `# You see what
# you may use.
# To see more,
# open "Headers",
# enter
#{"authorization":
# "Bearer TOKEN"}
# and fetch the
# schema again.
{
  __typename
}
`;
