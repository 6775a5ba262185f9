/** What one process serves, put together: the pipeline, and the application for the rest, loaded when first needed. */
import { createAccess, type Access } from './access/access.js';
import { limitAccess } from './access/limiter.js';
import { createAnswer, explain, type Answer } from './http/respond.js';
import { watchAvailability } from './http/availability.js';
import { createRegistry, type CollectionDeclaration } from '../contract/collection.js';
import { createBackground } from './concurrency/background.js';
import type { Config } from './config/config.js';
import type { EdgeOptions } from './http/messages.js';
import { createKeys, secretsOf, type Keys } from './auth/keys.js';
import { createTokens } from './auth/tokens.js';
import { ApiError, apiError } from '../contract/errors.js';
import { createAccessSource } from './execute/access-source.js';
import type { Database } from './databases/contract.js';
import type { Express } from './http/express-app.js';
import { createGraphql } from './graphql/handle.js';
import { createHandle, type Handle } from './items/handle.js';
import { startHousekeeping } from './schema/housekeeping.js';
import type { ItemServices } from './items/context.js';
import type { Observe } from './observe.js';
import { once } from './concurrency/lazy.js';
import { findOperation } from './operations/entries.js';
import type { OperationServices } from './operations/services.js';
import type { QueueModelDeclaration } from '../contract/queue-model.js';
import type { Queue, QueueOptions } from './queue/http/routes.js';
import { createRelocation } from './queue/http/hosts.js';
import { isQueuePath } from './queue/http/paths.js';
import { createProxies } from './request/client-address.js';
import type { Limits } from './sql/read.js';

export interface ServiceOptions {
  readonly config: Config;
  readonly declarations: readonly CollectionDeclaration[];
  /** File of the OpenAPI document. */
  readonly openapi: string;
  /** Folder of the GraphQL schemas. */
  readonly graphql: string;
  readonly database: Database;
  readonly observe: Observe;
  /** Path that comes before everything, without a slash at its end; empty at the root. */
  readonly base: string;
  /** Address of the server, known once it listens. */
  readonly url: () => string;
  /** Models of the queue, and the modules of those that are functions. */
  readonly queueModels?: readonly QueueModelDeclaration[];
  readonly loadFunctions?: QueueOptions['loadFunctions'];
}

export interface Service {
  readonly edge: EdgeOptions;
  /** Requests of the data plane. */
  readonly answer: Answer;
  /** Everything else, and the data plane as well: what an embedder mounts. */
  loadApp(): Promise<Express>;
  close(): Promise<void>;
}

const isOperation = (method: string, path: string): boolean => findOperation(method, path) !== null;

export const createService = async (options: ServiceOptions): Promise<Service> => {
  const { config, database, observe, openapi, base, url } = options;
  const items = await createItemServices(options);
  const background = createBackground(observe);
  warnOfMail(config, observe);
  const housekeeping = startHousekeeping(database, observe);
  const keys = createKeys(config.secret);
  const tokens = createTokens(keys);
  const { readClaims } = tokens;
  const known = createAccess(createAccessSource({ executor: database, readClaims }));
  const access = config.rateLimit === null ? known : limitAccess(known, config.rateLimit);
  const availability = watchAvailability(database, observe);
  const loadQueue = createQueueLoader(options, { access, keys });
  const graphql = createGraphql({
    ...items,
    access,
    folder: options.graphql,
    introspection: config.graphql.introspection,
    tokens: config.graphql.tokenLimit,
    loadBodies: () => loadBodies(),
    tell: (error, request) => tellClient(explain(error, request, { availability, observe })),
  });
  const services: OperationServices = {
    ...items,
    config,
    access,
    tokens,
    background,
    openapi,
    base,
    url,
    printGraphql: graphql.print,
    loadQueue,
  };
  const loadBodies = once(async () => {
    const { createOperations } = await import('./operations/handlers.js');
    return createOperations(services);
  });
  const handleItems = createHandle({ ...items, access, isOperation });
  const handleHere: Handle = (request) =>
    isQueuePath(request.path)
      ? loadQueue().then((queue) => queue.answer(request))
      : (handleItems(request) ?? graphql.handle(request));
  const relocate = createRelocation({ queueUrl: config.queue.url, runUrl: config.queue.runUrl });
  const handle: Handle = relocate === null ? handleHere : (request) => handleHere(relocate(request));
  const answer = createAnswer({ handle, availability, observe });
  const edge: EdgeOptions = {
    base,
    payloadMax: config.payloadMax,
    proxies: createProxies(config.trustProxy),
    ownOrigin: config.publicUrl === null ? null : new URL(config.publicUrl).origin,
  };
  return {
    edge,
    answer,
    async loadApp() {
      const [{ createApp }, { createOperationRoutes }, bodies] = await Promise.all([
        import('./http/express-app.js'),
        import('./operations/routes.js'),
        loadBodies(),
      ]);
      const operations = createOperationRoutes(bodies, access);
      return createApp({ ...edge, answer, operations, explorer: config.explorer, availability, observe });
    },
    async close() {
      availability.close();
      await Promise.all([loadQueue.close(), background.close(), housekeeping.close()]);
    },
  };
};

/** Pages for new passwords are of no use without mails that lead to them. */
const warnOfMail = ({ auth, mail }: Config, observe: Observe): void => {
  if (auth.resetUrls.length > 0 && mail.smtp === null) {
    const message = 'PASSWORD_RESET_URL_ALLOW_LIST is set, but no mail is sent without EMAIL_SMTP_HOST';
    observe({ kind: 'warning', message });
  }
};

const tellClient = (error: unknown): ApiError =>
  error instanceof ApiError ? error : apiError('INTERNAL_SERVER_ERROR', {});

/** What did not reach Temporal is repeated by a sweep; that it happened is worth a line. */
const tellLoss =
  (observe: Observe) =>
  (error: unknown): void =>
    observe({ kind: 'warning', message: `queue: ${error instanceof Error ? error.message : String(error)}` });

/** The queue, loaded when it is first asked for: most processes of most projects never are. */
const createQueueLoader = (
  options: ServiceOptions,
  { access, keys }: { readonly access: Access; readonly keys: Keys },
) => {
  const { config, database, observe, url, queueModels = [], loadFunctions = async () => ({}) } = options;
  let queue: Promise<Queue> | null = null;
  const load = async (): Promise<Queue> => {
    const [{ createQueue }, { queueSettings }] = await Promise.all([
      import('./queue/http/routes.js'),
      import('./queue/settings.js'),
    ]);
    const settings = queueSettings(config, { url, secrets: await secretsOf(keys) });
    return createQueue({
      settings,
      database,
      access,
      models: queueModels,
      loadFunctions,
      onLoss: tellLoss(observe),
    });
  };
  return Object.assign((): Promise<Queue> => (queue ??= load()), {
    close: async (): Promise<void> => (await queue)?.close(),
  });
};

const createItemServices = async ({
  config,
  database,
  declarations,
  observe,
}: ServiceOptions): Promise<ItemServices> => ({
  registry: createRegistry(declarations),
  database,
  dialect: database.sql,
  limits: limitsOf(config, config.query.limitMax),
  publicLimits: limitsOf(config, config.query.limitMaxPublic),
  maxDepth: config.query.relationalDepth,
  observe,
});

const limitsOf = (config: Config, most: number): Limits => ({
  fallback: config.query.limitDefault,
  most: most === -1 ? null : most,
});
