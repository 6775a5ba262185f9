/** HTML pages by name, loaded on first use. */
import { apiError } from '../../../contract/errors.js';
import type { Page } from '../../../contract/routes.js';
import type { RouteHandle } from '../../request/route.js';
import { docsAsset, docsPage } from './docs.js';
import { graphiqlPage } from './graphiql.js';
import { explorerOffPage, indexPage } from './index-page.js';
import { prefersHtml } from './layout.js';
import { operatorPage } from './operator.js';
import { resetPasswordPage } from './reset-password.js';

export interface PagesOptions {
  /** Path prefix without a trailing slash; empty at the root. */
  readonly base: string;
  /** Serves `/docs` and `/graphiql`. */
  readonly explorer: boolean;
}

/** Creates the handlers of all pages; those of the explorer say how to turn it on where it is off. */
export const createPages = ({ base, explorer }: PagesOptions): Readonly<Record<Page, RouteHandle>> => ({
  index: async (request) => indexPage(request, { base, explorer }),
  operator: async () => operatorPage(base),
  resetPassword: async () => resetPasswordPage(base),
  ...(explorer ? createExplorer(base) : explorerOff),
});

type ExplorerPage = Exclude<Page, 'index' | 'operator' | 'resetPassword'>;

const createExplorer = (base: string): Readonly<Record<ExplorerPage, RouteHandle>> => ({
  docs: async () => docsPage({ specUrl: `${base}/server/specs/oas`, base }),
  async docsAsset({ path }, [name = '']) {
    const asset = await docsAsset(name);
    if (asset === null)
      throw apiError('ROUTE_NOT_FOUND', { path }, `the documentation has no file "${name}"`);
    return asset;
  },
  graphiql: (request) => graphiqlPage(request, `${base}/graphql`),
  graphiqlSystem: (request) => graphiqlPage(request, `${base}/graphql/system`),
});

/** @throws ROUTE_NOT_FOUND for clients other than browsers */
const refuse: RouteHandle = async ({ headers, path }) => {
  if (prefersHtml(headers)) return explorerOffPage();
  throw apiError('ROUTE_NOT_FOUND', { path }, 'the page is off; set EXPLORER=true to turn it on');
};

const explorerOff: Readonly<Record<ExplorerPage, RouteHandle>> = {
  docs: refuse,
  docsAsset: refuse,
  graphiql: refuse,
  graphiqlSystem: refuse,
};
