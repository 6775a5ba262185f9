/**
 * Assembles the service of a process: the request pipeline, and the Express application, loaded when first
 * needed.
 */
import { createResponder, mapError, type Responder } from './http/responder.js';
import { watchAvailability, type Availability } from './http/availability.js';
import type { CollectionDeclaration } from '../contract/collection.js';
import { createBackground, type Background } from './concurrency/background.js';
import type { Config } from './config/config.js';
import { compressResponses } from './http/compress.js';
import { traceRequests } from './http/request-spans.js';
import { allowOrigins } from './http/cors.js';
import { createHandlers } from './http/handlers.js';
import type { MessageOptions } from './http/messages.js';
import { createRouter, type Router } from './http/router.js';
import { exportSecrets } from './auth/keys.js';
import { ApiError, apiError } from '../contract/errors.js';
import { loadRows } from './execute/access-source.js';
import { recordLease } from './execute/access-version.js';
import type { Database } from './databases/contract.js';
import type { Express } from './http/express-app.js';
import { createGraphql, type Graphql } from './graphql/handle.js';
import { createHandle } from './items/handle.js';
import { createIdentity, type Identity } from './identity.js';
import { startHousekeeping } from './schema/housekeeping.js';
import { createItemServices } from './item-services.js';
import type { ItemServices } from './items/context.js';
import { compileOrigins } from './network/origins.js';
import type { SharedCounts } from './access/limiter.js';
import type { Observe, TrackOperation } from './observe.js';
import { lazy } from './concurrency/lazy.js';
import type { Operations } from '../generated/server/operations.js';
import type { Route } from '../contract/routes.js';
import type { QueueModelDeclaration } from '../contract/queue-model.js';
import type { Queue } from './queue/queue.js';
import { createTransferLoader } from './transfer-services.js';
import type { Transfers } from './transfers/routes.js';
import { createPathMapper } from './queue/http/path-mapping.js';
import { findRuleFaults, registryToScope } from './plan/rule-faults.js';
import type { ApiRequest } from './request/api-request.js';
import type { KeepBuild, Reload } from './operations/services.js';
import type { IsOutdated } from './request/outdated-schema.js';
import { untraced, type Tracing } from './tracing/tracing.js';
import { createProxies } from './http/client-address.js';

export interface ServiceOptions {
  readonly config: Config;
  readonly declarations: readonly CollectionDeclaration[];
  /** Every served route. */
  readonly routes: readonly Route[];
  /** File of the OpenAPI document. */
  readonly openapi: string;
  /** Folder of the GraphQL schemas. */
  readonly graphql: string;
  readonly database: Database;
  readonly observe: Observe;
  /** Records the requests in flight. */
  readonly track?: TrackOperation;
  /** Records requests as spans. */
  readonly tracing?: Tracing;
  /** Shares the counts of the rate limiter with the other processes of the host. */
  readonly sharedCounts?: SharedCounts;
  /** Path prefix without a trailing slash; empty at the root. */
  readonly base: string;
  /** Returns the URL of the server, which is known once it listens. */
  readonly url: () => string;
  /** Models of the queue, and the module of those that are functions. */
  readonly queueModels?: readonly QueueModelDeclaration[];
  readonly functions?: string;
  /** Absent where a new build takes a restart. */
  readonly reload?: Reload;
  /** Runs work that relies on this build after its request has been answered. */
  readonly keepBuild?: KeepBuild;
  /** Returns why the schema that the database has now cannot be served; null where it can. */
  readonly reloadFailure?: () => string | null;
  /** Returns what changed in the database since the declarations were made. */
  readonly findSchemaChanges?: () => Promise<readonly string[]>;
}

export interface Service {
  readonly messageOptions: MessageOptions;
  readonly respond: Responder;
  /** Returns the path of a request's route, without its values. */
  templateOf(request: ApiRequest): string;
  /** Loads the application that an embedder mounts. */
  loadApp(): Promise<Express>;
  close(): Promise<void>;
}

/** Dependencies that the parts of a service share. */
interface ServiceContext extends ServiceOptions, Identity {
  readonly items: ItemServices;
  readonly background: Background;
  readonly availability: Availability;
  readonly loadQueue: () => Promise<Queue>;
  readonly loadTransfers: () => Promise<Transfers>;
}

/** Creates the service of one build. It records the lease of this process before it serves. */
export const createService = async (options: ServiceOptions): Promise<Service> => {
  const background = createBackground(options.observe);
  const { config, database, observe, routes, track = () => () => {} } = options;
  warnWithoutSmtp(config, observe);
  if (config.access.lease > 0) await recordLease(database, config.access.lease);
  const availability = watchAvailability(database, observe);
  const identity = createIdentity(options, background);
  // a server without a usable secret could let nobody in
  await identity.keys();
  const housekeeping = startHousekeeping(database, observe);
  const items = createItemServices(options, identity);
  const loadQueue = createQueueLoader(options, identity, items);
  const loadTransfers = createTransferLoader({ ...options, ...identity, items, loadQueue });
  background.run('rules', () => reportRules(options, items));
  const router = createServiceRouter({
    ...options,
    ...identity,
    items,
    background,
    availability,
    loadQueue,
    loadTransfers,
  });
  const templateOf = ({ method, path }: ApiRequest) => router(method, path).endpoint.template;
  const responder = createServiceResponder(
    createResponder({ router, availability, observe, track, cookieSameSite: config.cookieSameSite }),
    config,
  );
  const { tracing = untraced } = options;
  const respond = tracing === untraced ? responder : traceRequests(responder, templateOf, tracing);
  const messageOptions = createMessageOptions(options);
  return {
    messageOptions,
    respond,
    templateOf,
    async loadApp() {
      const { createApp } = await import('./http/express-app.js');
      return createApp({ ...messageOptions, respond, routes });
    },
    async close() {
      availability.close();
      await loadTransfers.close();
      await Promise.all([loadQueue.close(), background.close(), housekeeping.close()]);
    },
  };
};

/** A request is run again only where somebody can make another build. */
const createOutdatedCheck =
  ({ database, reload }: ServiceOptions): IsOutdated =>
  (error, { isLastTry = false }) =>
    reload !== undefined && !isLastTry && database.isSchemaChange(error);

const createServiceRouter = (context: ServiceContext): Router => {
  const { config, base, routes, items, access, loadQueue, loadTransfers } = context;
  const loadHandlers = lazy(async () => {
    const { createOperations } = await import('./operations/handlers.js');
    return createOperations({ ...context, ...items, printGraphql: graphql.print });
  });
  const graphql = createServiceGraphql(context, loadHandlers);
  return createRouter({
    routes,
    ...createHandlers({
      base,
      explorer: config.explorer,
      uploadMax: config.schemaMax,
      access,
      admission: items.admission,
      items: createHandle({ ...items, access }),
      graphql,
      loadHandlers,
      loadQueue,
      loadTransfers,
      isOutdated: createOutdatedCheck(context),
    }),
  });
};

const createServiceGraphql = (context: ServiceContext, loadHandlers: () => Promise<Operations>): Graphql => {
  const { config, observe, items, access, availability, graphql } = context;
  return createGraphql({
    ...items,
    access,
    folder: graphql,
    introspection: config.graphql.introspection,
    cookieSameSite: config.cookieSameSite,
    maxTokens: config.graphql.tokenLimit,
    loadHandlers,
    reportError: (error, { id, method, path: route }) =>
      toClientError(mapError(error, { id, method, route }, { availability, observe })),
    isOutdated: createOutdatedCheck(context),
  });
};

/** Wraps a responder with the host names of the queue, compression and CORS. */
const createServiceResponder = (respond: Responder, { queue, cors }: Config): Responder => {
  const mapPath = createPathMapper({ queueUrl: queue.url, runUrl: queue.runUrl });
  const compressed = compressResponses(mapPath === null ? respond : (request) => respond(mapPath(request)));
  return cors === null ? compressed : allowOrigins(cors, compressed);
};

const createMessageOptions = ({ config, base }: ServiceOptions): MessageOptions => {
  const { payloadMax, trustProxy, publicUrl, cors } = config;
  return {
    base,
    payloadMax,
    proxies: createProxies(trustProxy),
    ownOrigin: publicUrl === null ? null : new URL(publicUrl).origin,
    // without credentials, a page of another origin could send requests but not read the responses
    trustsOrigin: cors?.credentials === true ? compileOrigins(cors.origins) : () => false,
  };
};

/** Reports rules that cannot be evaluated: they refuse, and nothing else says why. */
const reportRules = async (
  { database, observe }: ServiceOptions,
  { registry }: ItemServices,
): Promise<void> => {
  const rows = await loadRows(database);
  for (const fault of findRuleFaults(rows, registryToScope(registry)))
    observe({ kind: 'ruleFaulty', ...fault });
};

/** Warns when pages for the links of mails are configured without SMTP. */
const warnWithoutSmtp = ({ auth, mail }: Config, observe: Observe): void => {
  if (mail.smtp !== null) return;
  const lists = {
    PASSWORD_RESET_URL_ALLOW_LIST: auth.resetUrls,
    USER_INVITE_URL_ALLOW_LIST: auth.inviteUrls,
  };
  for (const [name, urls] of Object.entries(lists)) {
    if (urls.length === 0) continue;
    const message = `${name} is set, but mail cannot be sent; set EMAIL_SMTP_HOST`;
    observe({ kind: 'warning', message });
  }
};

const toClientError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : apiError('INTERNAL_SERVER_ERROR', {});

/** Logs an error of the queue, such as a lost connection to Temporal; the sweeper retries the request. */
const warnOfQueueError =
  (observe: Observe) =>
  (error: unknown): void =>
    observe({ kind: 'warning', message: `queue: ${error instanceof Error ? error.message : String(error)}` });

type LoadQueue = (() => Promise<Queue>) & { close(): Promise<void> };

/** Loads the queue on first use, because most processes never need it. */
const createQueueLoader = (
  options: ServiceOptions,
  { access, keys }: Identity,
  { admission }: ItemServices,
): LoadQueue => {
  const { config, database, observe, url, queueModels = [], functions = '' } = options;
  let queue: Promise<Queue> | null = null;
  const load = async (): Promise<Queue> => {
    const [{ createQueue }, { queueSettings }] = await Promise.all([
      import('./queue/queue.js'),
      import('./queue/settings.js'),
    ]);
    const settings = queueSettings(config, { url, secrets: await exportSecrets(keys) });
    return createQueue({
      settings,
      database,
      access,
      admission,
      models: queueModels,
      functions,
      observe,
      onError: warnOfQueueError(observe),
      onModelFailure: (failure) => observe({ kind: 'modelFailed', ...failure }),
    });
  };
  return Object.assign((): Promise<Queue> => (queue ??= load()), {
    close: async (): Promise<void> => (await queue)?.close(),
  });
};
