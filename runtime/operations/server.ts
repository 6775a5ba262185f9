/** Handlers of `spec/operations/server.yaml`. */
import { readFile } from 'node:fs/promises';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import type { Operations } from '../../generated/server/operations.js';
import { visibilityOf } from '../access/visibility.js';
import { schemaChangesToText } from '../observe.js';
import { locateOpenApi, restrictOpenApi } from './openapi-view.js';
import type { OperationServices } from './services.js';

export const createServerOperations = ({
  database,
  registry,
  config,
  openapi,
  base,
  printGraphql,
  findSchemaChanges = async () => [],
}: OperationServices) => {
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
      const schema = toSchemaCheck(await findSchemaChanges());
      return { status: 200, body: { status, checks: { database: { status, milliseconds }, schema } } };
    },

    async serverSpecsOas(_input, context) {
      return restrictOpenApi(
        await loadDocument(),
        visibilityOf(await context.principal(), registry),
      ) as never;
    },

    serverSpecsGraphqlItems: async (_input, context) => printGraphql('items', await context.principal()),

    serverSpecsGraphqlSystem: async (_input, context) => printGraphql('system', await context.principal()),
  } satisfies Partial<Operations>;
};

/** A changed schema is a warning: what has not changed is still served. */
const toSchemaCheck = (changes: readonly string[]) =>
  changes.length === 0
    ? { status: 'ok' as const }
    : { status: 'warning' as const, message: schemaChangesToText(changes) };
