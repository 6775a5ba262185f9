/** `/`: says what this server is, and where to go on. */
import { packageVersion } from '../../config/package.js';
import type { ApiRequest, ApiResponse } from '../../request/api-request.js';
import { layoutPage, prefersHtml } from './layout.js';

interface IndexOptions {
  /** Path prefix without a trailing slash; empty at the root. */
  readonly base: string;
  /** True where `/docs` and `/graphiql` are served. */
  readonly explorer: boolean;
}

interface Link {
  readonly path: string;
  readonly about: string;
}

const explorerLinks: readonly Link[] = [
  { path: '/docs', about: 'the reference: every operation, and a form to try it' },
  { path: '/graphiql', about: 'write and run GraphQL queries' },
];

const links: readonly Link[] = [
  { path: '/server/specs/oas', about: 'the OpenAPI document' },
  { path: '/server/specs/graphql/items', about: 'the GraphQL schema' },
  { path: '/server/health', about: 'whether the server is well' },
];

/** Returns HTML for browsers and JSON for other clients. */
export const indexPage = (
  { headers }: Pick<ApiRequest, 'headers'>,
  { base, explorer }: IndexOptions,
): ApiResponse => {
  const shown = explorer ? [...explorerLinks, ...links] : links;
  if (!prefersHtml(headers)) {
    const urls = Object.fromEntries(shown.map(({ path, about }) => [`${base}${path}`, about]));
    return {
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8', vary: 'accept' },
      body: JSON.stringify({ data: { name: 'svc', version: packageVersion, links: urls } }),
    };
  }
  const items = shown.map(
    ({ path, about }) => `<dt><a href="${encodeURI(base)}${path}">${path}</a></dt><dd>${about}</dd>`,
  );
  const hint = explorer ? '' : `<p>${offText}</p>`;
  return layoutPage({
    title: 'A content API',
    content: `<p>This is the API of a database, served by svc: items at <code>/items</code>, GraphQL at <code>/graphql</code>. Nothing is shown without permission: send a token as <code>Authorization: Bearer …</code>.</p>
      <dl>${items.join('')}</dl>${hint}`,
  });
};

const offText =
  'The pages /docs and /graphiql are off. Set EXPLORER=true and restart the server to turn them on.';

/** Returns the response of pages that are turned off. */
export const explorerOffPage = (): ApiResponse =>
  layoutPage({ title: 'This page is off', content: `<p>${offText}</p>`, status: 404 });
