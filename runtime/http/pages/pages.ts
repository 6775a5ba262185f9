/** HTML pages by name, loaded on first use. */
import { apiError } from '../../../contract/errors.js';
import type { Page } from '../../../contract/routes.js';
import type { RouteHandle } from '../../request/route.js';
import { docsAsset, docsPage } from './docs.js';
import { graphiqlPage } from './graphiql.js';
import { resetPasswordPage } from './reset-password.js';

/** @param base path prefix without a trailing slash; empty at the root */
export const createPages = (base: string): Readonly<Record<Page, RouteHandle>> => ({
  docs: async () => docsPage({ specUrl: `${base}/server/specs/oas`, base }),
  async docsAsset({ path }, [name = '']) {
    const asset = await docsAsset(name);
    if (asset === null)
      throw apiError('ROUTE_NOT_FOUND', { path }, `the documentation has no file "${name}"`);
    return asset;
  },
  graphiql: (request) => graphiqlPage(request, `${base}/graphql`),
  graphiqlSystem: (request) => graphiqlPage(request, `${base}/graphql/system`),
  resetPassword: async () => resetPasswordPage(base),
});
