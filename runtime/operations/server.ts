/** Handlers of `spec/operations/server.yaml`. */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import type { Operations } from '../../generated/server/operations.js';
import type { Config } from '../config/config.js';
import type { Principal } from '../access/principal.js';
import { visibilityOf } from '../access/visibility.js';
import { createClientPackage } from './client-package.js';
import { locateOpenApi, restrictOpenApi } from './openapi-view.js';
import type { OperationServices } from './services.js';

/** Creates the handlers of health, limits, specs and the client. Health names failing parts to administrators only. */
export const createServerOperations = ({
  database,
  registry,
  config,
  openapi,
  base,
  printGraphql,
  findSchemaChanges = async () => [],
  reloadFailure = () => null,
}: OperationServices) => {
  const readPackage = createClientPackage(dirname(openapi), config.tables);
  let document: Promise<OpenAPIObject> | null = null;
  const loadDocument = (): Promise<OpenAPIObject> =>
    (document ??= readFile(openapi, 'utf8').then((text) =>
      locateOpenApi(JSON.parse(text) as OpenAPIObject, {
        base,
        queueUrl: config.queue.url,
        runUrl: config.queue.runUrl,
      }),
    ));

  return {
    serverPing: async () => 'pong',

    async serverHealth(_input, context) {
      const started = performance.now();
      const isUp = await database.query('select 1').then(
        () => true,
        () => false,
      );
      const milliseconds = Math.round((performance.now() - started) * 10) / 10;
      const status = isUp ? 'ok' : 'error';
      const isAdmin = isUp && (await context.principal()).policies.admin;
      if (!isAdmin) return { status: isUp ? 200 : 503, body: { status } };
      const schema = toSchemaCheck(await findSchemaChanges(), reloadFailure());
      return { status: 200, body: { status, checks: { database: { status, milliseconds }, schema } } };
    },

    async serverInfo(_input, context) {
      const { title } = (await loadDocument()).info;
      return { data: { project: { project_name: title }, ...limitsOf(await context.principal(), config) } };
    },

    async serverSpecsOas(_input, context) {
      return restrictOpenApi(
        await loadDocument(),
        visibilityOf(await context.principal(), registry),
      ) as never;
    },

    // another type than text is sent as it is
    serverSdk: async () => (await readPackage()) as never,

    serverSpecsGraphqlItems: async (_input, context) => printGraphql('items', await context.principal()),

    serverSpecsGraphqlSystem: async (_input, context) => printGraphql('system', await context.principal()),
  } satisfies Partial<Operations>;
};

/** Returns the limits of a caller. The rate of administrators is not limited. */
const limitsOf = ({ user, policies }: Principal, { query, rateLimit }: Config) => ({
  queryLimit: { default: query.limitDefault, max: user === null ? query.limitMaxPublic : query.limitMax },
  rateLimit:
    policies.admin || rateLimit === null ? null : { ...rateLimit, duration: rateLimit.duration / 1000 },
});

/** A schema that is not served is a warning: the one before still is. */
const toSchemaCheck = (changes: readonly string[], failure: string | null) => {
  if (changes.length === 0 && failure === null) return { status: 'ok' as const };
  const what = changes.length === 0 ? '' : `: ${changes.join('; ')}`;
  const why = failure === null ? 'it is not served yet' : `it cannot be served: ${failure}`;
  return { status: 'warning' as const, message: `the schema has changed${what}; ${why}` };
};
