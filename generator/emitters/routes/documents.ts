/** Routes that every server has besides collections, operations and models. */
import { route, type Route } from '../../../contract/routes.js';

export const documentRoutes: readonly Route[] = [
  route('GET /graphql', {
    operation: 'queryItems',
    access: 'public',
    handler: { kind: 'graphql', scope: 'items' },
  }),
  route('POST /graphql', {
    operation: 'executeItems',
    access: 'public',
    handler: { kind: 'graphql', scope: 'items' },
  }),
  route('GET /graphql/system', {
    operation: 'querySystem',
    access: 'public',
    handler: { kind: 'graphql', scope: 'system' },
  }),
  route('POST /graphql/system', {
    operation: 'executeSystem',
    access: 'public',
    handler: { kind: 'graphql', scope: 'system' },
  }),
  route('GET /files/:request_id/:name', {
    operation: 'readFile',
    access: 'signature',
    handler: { kind: 'files' },
  }),
  route('GET /.well-known/jwks.json', {
    operation: 'readSigningKeys',
    access: 'open',
    handler: { kind: 'signingKeys' },
  }),
  route('GET /', { operation: 'showIndex', access: 'open', handler: { kind: 'page', page: 'index' } }),
  route('GET /docs', { operation: 'showDocs', access: 'open', handler: { kind: 'page', page: 'docs' } }),
  route('GET /docs/assets/:name', {
    operation: 'readDocsAsset',
    access: 'open',
    handler: { kind: 'page', page: 'docsAsset' },
  }),
  route('GET /graphiql', {
    operation: 'showGraphiql',
    access: 'open',
    handler: { kind: 'page', page: 'graphiql' },
  }),
  route('GET /graphiql/system', {
    operation: 'showGraphiqlSystem',
    access: 'open',
    handler: { kind: 'page', page: 'graphiqlSystem' },
  }),
  route('GET /operator', {
    operation: 'showOperator',
    access: 'open',
    handler: { kind: 'page', page: 'operator' },
  }),
  route('GET /reset-password', {
    operation: 'showResetPassword',
    access: 'open',
    handler: { kind: 'page', page: 'resetPassword' },
  }),
];
